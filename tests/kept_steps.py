"""What projections can do is worked out once for all tests of logs, and for both runs of CI.

It is kept under the digest of all code that it follows from. A test that changes rules in its own
process may not use it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from finale.checker.cache.store import Store
from finale.checker.logs.flink import flink_projections, kept_steps


@pytest.fixture(scope="session", autouse=True)
def steps_are_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("projections")
    folder.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        for module in (flink_projections, kept_steps):
            patch.setattr(module, "users_store", lambda: Store(folder))
        yield
