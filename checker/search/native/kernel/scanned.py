"""Where `scan` finds things: the block of lines that are read, and of the words that are known."""

from __future__ import annotations

from itertools import count

_place = count()

# The address of the text, where in it the next line begins, and where the last one ends, in bytes.
TEXT, AT, LAST = (next(_place) for _ in range(3))
# Two addresses and lengths: what comes before a checkpoint's number; what comes behind a word, and
# before the name of its clock.
NUMBERED, NUMBERED_LENGTH, PLACE, PLACE_LENGTH = (next(_place) for _ in range(4))
# And what comes between a clock's name and the number on it.
SEQUENCE, SEQUENCE_LENGTH = (next(_place) for _ in range(2))
# The table of words: its address, its size less one, which is all ones; and their bytes.
TABLE, MASK, BYTES = (next(_place) for _ in range(3))
# Clocks of this text: their address, and how many there are.
CLOCKS, CLOCKS_COUNT = (next(_place) for _ in range(2))
# What was read: the addresses of words and of checkpoints' numbers, and how many lines.
WORDS, NUMBERS, COUNT = (next(_place) for _ in range(3))
# Of a word that is not known: where its checkpoint's number begins and ends, or 0; where it ends;
# what its bytes are mixed to.
NUMBER_BEGINS, NUMBER_ENDS, WORD_ENDS, MIXED = (next(_place) for _ in range(4))
BLOCK_COUNT = next(_place)

# A word in the table: what its bytes are mixed to, its number plus 1, where its bytes are, how many
# there are before the checkpoint's number, and behind; whether it has one.
HASH, WORD_NUMBER, FIRST_BYTE, BEFORE, BEHIND, HAS_NUMBER, ENTRY = range(7)
# A clock: what its name is mixed to, where that begins, how long it is, the next number on it.
CLOCK_HASH, CLOCK_NAME, CLOCK_LENGTH, CLOCK_NEXT, CLOCK = range(5)
CLOCKS_ROOM = 1024
#: A number has at most so many digits.
DIGITS_MOST = 15

# Why the loop comes back: all is read; a word is not known; a line has another form.
DONE, NEW_WORD, ODD = range(3)
