"""The page of the classics has the numbers of their specs."""

from tests.classics.page import PAGE, written
from tests.classics.specs import NAMES, spec_of


def test_the_table_is_that_of_the_specs() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "write it again: python -m tests.classics.page"


def test_there_are_many_protocols_and_most_have_a_broken_version() -> None:
    kinds = {spec_of(name).protocol for name in NAMES}
    assert len(kinds) >= 12
