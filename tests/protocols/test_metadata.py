"""Both kinds of metadata are read as they were written, and never mixed up (PL-9)."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from finale.model.protocols.broken.restore import PlainMinus
from finale.model.protocols.coordinator.metadata import Encoding, Flags, Metadata, UnknownVersion

ALL = [
    Flags(parallelism, frozenset(finished))
    for parallelism in range(1, 5)
    for finished in chain.from_iterable(
        combinations(range(parallelism), size) for size in range(parallelism + 1)
    )
]


@pytest.mark.parametrize("metadata", Metadata)
def test_what_is_written_is_read_again(metadata: Metadata) -> None:
    encoding = Encoding(metadata)
    written = [encoding.encode(flags) for flags in ALL]
    assert len(set(written)) == len(ALL)
    assert [encoding.decode(numbers) for numbers in written] == ALL


@pytest.mark.parametrize(("one", "other"), [tuple(Metadata), tuple(Metadata)[::-1]])
def test_metadata_of_the_other_kind_is_refused(one: Metadata, other: Metadata) -> None:
    for flags in ALL:
        with pytest.raises(UnknownVersion):
            Encoding(other).decode(Encoding(one).encode(flags))


def test_special_numbers_are_no_indices() -> None:
    assert Encoding(Metadata.SENTINEL).encode(Flags(3, frozenset({0, 2}))) == (3, 3, 3, -1, 1, -3)
    assert Encoding(Metadata.SENTINEL).encode(Flags(2, frozenset({0, 1}))) == (3, 2, -1)


def test_without_the_offset_the_first_subtask_is_lost() -> None:
    encoding = PlainMinus(Metadata.SENTINEL)
    read = [encoding.decode(encoding.encode(flags)) for flags in ALL]
    lost = [flags for flags, found in zip(ALL, read, strict=True) if flags != found]
    assert lost == [flags for flags in ALL if 0 in flags.finished and not flags.is_full]
