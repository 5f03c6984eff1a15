"""Lines of events, read: each is a word that is known, a checkpoint's number, and a clock's."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import byte, inline, set_word, word
from .scanned import (
    AT,
    BEFORE,
    BEHIND,
    BYTES,
    CLOCK,
    CLOCK_HASH,
    CLOCK_LENGTH,
    CLOCK_NAME,
    CLOCK_NEXT,
    CLOCKS,
    CLOCKS_COUNT,
    CLOCKS_ROOM,
    COUNT,
    DIGITS_MOST,
    DONE,
    ENTRY,
    FIRST_BYTE,
    HAS_NUMBER,
    HASH,
    LAST,
    MASK,
    MIXED,
    NEW_WORD,
    NUMBER_BEGINS,
    NUMBER_ENDS,
    NUMBERED,
    NUMBERED_LENGTH,
    NUMBERS,
    ODD,
    PLACE,
    PLACE_LENGTH,
    SEQUENCE,
    SEQUENCE_LENGTH,
    TABLE,
    TEXT,
    WORD_ENDS,
    WORD_NUMBER,
    WORDS,
)

NEWLINE, COMMA, QUOTE, BACKSLASH, BRACE = ord("\n"), ord(","), ord('"'), ord("\\"), ord("}")
ZERO, NINE, SPACE = ord("0"), ord("9"), ord(" ")
#: As FNV-1a mixes bytes: what it begins with (as a signed number), what it multiplies by.
BASIS, PRIME = 0xCBF29CE484222325 - (1 << 64), 0x100000001B3


def scan(block):
    """Reads lines up to the last one. DONE, or why the loop must come back."""
    while word(block, AT) < word(block, LAST):
        end = scan_word(block)
        if end < 0:
            return ODD
        found = find_word(block, end)
        if found < 0:
            set_word(block, WORD_ENDS, end)
            return NEW_WORD
        number = 0
        if word(block, NUMBER_ENDS) > 0:
            number = number_at(block, word(block, NUMBER_BEGINS), word(block, NUMBER_ENDS))
        following = scan_clock(block, end + word(block, PLACE_LENGTH))
        if following < 0:
            return ODD
        count = word(block, COUNT)
        set_word(word(block, WORDS), count, found)
        set_word(word(block, NUMBERS), count, number)
        set_word(block, COUNT, count + 1)
        set_word(block, AT, following)
    return DONE


@inline
def scan_word(block):
    """Where the word ends that a line begins with; -1 if its line does not go on as others do."""
    text, at, mixed = word(block, TEXT), word(block, AT), BASIS
    set_word(block, NUMBER_BEGINS, 0)
    set_word(block, NUMBER_ENDS, 0)
    while True:
        each = byte(text, at)
        if each == NEWLINE:
            return -1
        if each == COMMA:
            if is_there(text + at, word(block, PLACE), word(block, PLACE_LENGTH)):
                set_word(block, MIXED, mixed)
                return at
            if word(block, NUMBER_ENDS) == 0 and is_there(
                text + at, word(block, NUMBERED), word(block, NUMBERED_LENGTH)
            ):
                begin = at + word(block, NUMBERED_LENGTH)
                at = digits_end(text, begin)
                if at < 0:
                    return -1
                set_word(block, NUMBER_BEGINS, begin)
                set_word(block, NUMBER_ENDS, at)
                mixed = (mixed ^ NEWLINE) * PRIME
                continue
        mixed = (mixed ^ each) * PRIME
        at += 1


@inline
def is_there(address, expected, length):
    """Whether some bytes are there. None of them is a newline, with which the text ends."""
    place = 0
    while place < length and byte(address, place) == byte(expected, place):
        place += 1
    return place == length


@inline
def digits_end(text, begin):
    """Where a number ends; -1 if there is none, or not as numbers are written."""
    at = begin
    while byte(text, at) >= ZERO and byte(text, at) <= NINE:
        at += 1
    length = at - begin
    if length == 0 or length > DIGITS_MOST or (length > 1 and byte(text, begin) == ZERO):
        return -1
    return at


@inline
def number_at(block, begin, end):
    """A number."""
    number = 0
    for at in range(begin, end):
        number = 10 * number + byte(word(block, TEXT), at) - ZERO
    return number


@inline
def find_word(block, end):
    """The number of the word that a line begins with; -1 if it is not known."""
    table, mask, mixed = word(block, TABLE), word(block, MASK), word(block, MIXED)
    place = mixed & mask
    while True:
        entry = table + 8 * ENTRY * place
        if word(entry, WORD_NUMBER) == 0:
            return -1
        if word(entry, HASH) == mixed and is_word(block, entry, end):
            return word(entry, WORD_NUMBER) - 1
        place = (place + 1) & mask


@inline
def is_word(block, entry, end):
    """Whether a line begins with just this word, whatever its checkpoint's number is."""
    begin, has_number = word(block, AT), word(block, NUMBER_ENDS) > 0
    before, behind = end - begin, 0
    if has_number:
        before, behind = word(block, NUMBER_BEGINS) - begin, end - word(block, NUMBER_ENDS)
    if (word(entry, HAS_NUMBER) != 0) != has_number:
        return False
    if word(entry, BEFORE) != before or word(entry, BEHIND) != behind:
        return False
    text, known = word(block, TEXT), word(block, BYTES) + word(entry, FIRST_BYTE)
    if not is_there(text + begin, known, before):
        return False
    return is_there(text + end - behind, known + before, behind)


@inline
def scan_clock(block, begin):
    """Where the line ends whose clock has its name here, and its next number; -1 if it has not."""
    text, at, mixed = word(block, TEXT), begin, BASIS
    while byte(text, at) != QUOTE:
        if byte(text, at) < SPACE or byte(text, at) == BACKSLASH:
            return -1
        mixed = (mixed ^ byte(text, at)) * PRIME
        at += 1
    clock = find_clock(block, mixed, begin, at - begin)
    if clock < 0 or not is_there(text + at, word(block, SEQUENCE), word(block, SEQUENCE_LENGTH)):
        return -1
    at += word(block, SEQUENCE_LENGTH)
    end = digits_end(text, at)
    if end < 0 or number_at(block, at, end) != word(clock, CLOCK_NEXT):
        return -1
    if byte(text, end) != BRACE or byte(text, end + 1) != NEWLINE:
        return -1
    set_word(clock, CLOCK_NEXT, word(clock, CLOCK_NEXT) + 1)
    return end + 2


@inline
def find_clock(block, mixed, begin, length):
    """The clock of a name; -1 if there are too many."""
    text, clocks = word(block, TEXT), word(block, CLOCKS)
    for place in range(word(block, CLOCKS_COUNT)):
        clock = clocks + 8 * CLOCK * place
        same = word(clock, CLOCK_HASH) == mixed and word(clock, CLOCK_LENGTH) == length
        if same and is_there(text + begin, text + word(clock, CLOCK_NAME), length):
            return clock
    count = word(block, CLOCKS_COUNT)
    if count == CLOCKS_ROOM:
        return -1
    clock = clocks + 8 * CLOCK * count
    set_word(clock, CLOCK_HASH, mixed)
    set_word(clock, CLOCK_NAME, begin)
    set_word(clock, CLOCK_LENGTH, length)
    set_word(clock, CLOCK_NEXT, 0)
    set_word(block, CLOCKS_COUNT, count + 1)
    return clock
