"""Lines of events of one form, read by machine code into words, checkpoints and clocks.

Nothing is known here of what a line means. A line is a *word*, that may have a checkpoint's number
in it; what is the same in all lines of a text; the name of a clock; and the next number on it. What
a word is, somebody is asked who knows, once.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable

from .kernel import scanned as at
from .loops import loops

#: The size of the table of words at first; it is at most half full.
TABLE_FIRST = 1 << 10
NUMBERED, SEQUENCE = b',"checkpoint":', b'","seq":'


class Scanner:
    """Reads texts, and knows the words that it has met.

    `learn` is asked with a line, where in it the checkpoint's number begins and ends, if there is
    one, and where the word ends: what the word is called from now on, or None if it is none.
    """

    def __init__(self, learn: Callable[[bytes, tuple[int, int] | None, int], int | None]) -> None:
        self._learn = learn
        self._block: array[int] = array("q", [0] * at.BLOCK_COUNT)
        self._table: array[int] = array("q", [0] * (at.ENTRY * TABLE_FIRST))
        self._bytes: array[int] = array("B")
        self._known: list[tuple[int, ...]] = []
        self._clocks: array[int] = array("q", [0] * (at.CLOCK * at.CLOCKS_ROOM))
        self._tell()

    def read(
        self, text: bytes, first: int, last: int, place: bytes
    ) -> tuple[array[int], array[int]] | None:
        """The words of the lines from one byte to another, and the checkpoints' numbers, or 0.

        `place` is what is the same in all lines, between the word and the name of the clock. None:
        some line has another form. The last byte must be a newline.
        """
        count = text.count(b"\n", first, last)
        words: array[int] = array("q", bytes(8 * count))
        numbers: array[int] = array("q", bytes(8 * count))
        block = self._block
        block[at.TEXT], block[at.AT], block[at.LAST] = _address(text), first, last
        block[at.PLACE], block[at.PLACE_LENGTH] = _address(place), len(place)
        block[at.WORDS], block[at.NUMBERS] = words.buffer_info()[0], numbers.buffer_info()[0]
        block[at.COUNT] = block[at.CLOCKS_COUNT] = 0
        while True:
            why = loops().scan(block.buffer_info()[0])
            if why == at.DONE:
                return (words, numbers) if self._has_readable_clocks(text) else None
            if why == at.ODD or not self._learned(text):
                return None

    def _has_readable_clocks(self, text: bytes) -> bool:
        for place in range(0, at.CLOCK * self._block[at.CLOCKS_COUNT], at.CLOCK):
            begin, length = (
                self._clocks[place + each] for each in (at.CLOCK_NAME, at.CLOCK_LENGTH)
            )
            try:
                text[begin : begin + length].decode()
            except UnicodeDecodeError:
                return False
        return True

    def _learned(self, text: bytes) -> bool:
        block = self._block
        begin, end = block[at.AT], block[at.WORD_ENDS]
        first, behind = block[at.NUMBER_BEGINS], block[at.NUMBER_ENDS]
        span = (first - begin, behind - begin) if behind else None
        number = self._learn(text[begin : text.index(b"\n", begin)], span, end - begin)
        if number is None:
            return False
        before = text[begin:first] if behind else text[begin:end]
        rest = text[behind:end] if behind else b""
        self._known.append((
            block[at.MIXED], number + 1, len(self._bytes), len(before), len(rest), int(behind > 0)
        ))  # fmt: skip
        self._bytes.frombytes(before + rest)
        if 2 * len(self._known) > len(self._table) // at.ENTRY:
            self._table = array("q", [0] * (2 * len(self._table)))
            for each in self._known:
                self._put(each)
        else:
            self._put(self._known[-1])
        self._tell()
        return True

    def _put(self, known: tuple[int, ...]) -> None:
        table, size = self._table, len(self._table) // at.ENTRY
        place = known[at.HASH] & (size - 1)
        while table[at.ENTRY * place + at.WORD_NUMBER]:
            place = (place + 1) & (size - 1)
        table[at.ENTRY * place : at.ENTRY * (place + 1)] = array("q", known)

    def _tell(self) -> None:
        """Tell the loop where everything is: what has grown may have moved."""
        block = self._block
        block[at.NUMBERED], block[at.NUMBERED_LENGTH] = _address(NUMBERED), len(NUMBERED)
        block[at.SEQUENCE], block[at.SEQUENCE_LENGTH] = _address(SEQUENCE), len(SEQUENCE)
        block[at.TABLE] = self._table.buffer_info()[0]
        block[at.MASK] = len(self._table) // at.ENTRY - 1
        block[at.BYTES] = self._bytes.buffer_info()[0]
        block[at.CLOCKS] = self._clocks.buffer_info()[0]


def _address(text: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0


__all__ = ["Scanner"]
