"""Generates `canonical(in, n)`, which replaces packed states by their representatives.

`checker/search/reductions/canonical.py` defines the representative. The generated code gathers all
that distinguishes a member of a group into one wide number. A sorting network sorts the numbers,
and the code writes them back. Cells that move by the same distance are moved together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finale.checker.search.reductions.canonical import Canonical, Reference, Reset, SymmetryGroup

from .layout import ALL_ONES, WORD, StateLayout
from .values import LlvmText, Values, signed
from .writing import function, loop


def canonical_source(layout: StateLayout, canonical: Canonical) -> str:
    """Return the text of the function."""
    text = LlvmText()

    def body(values: Values) -> None:
        words = list(values.words)
        for reset in canonical.resets:
            words = _reset(text, layout, values, words, reset)
        for group in canonical.groups:
            words = _sorted(text, layout, words, group)
        offset = text.value(f"mul i64 %i, {layout.width}")
        state = text.value(f"getelementptr i64, ptr %in, i64 {offset}")
        for word, name in enumerate(words):
            if name != values.words[word]:
                address = text.value(f"getelementptr i64, ptr {state}, i64 {word}")
                text.line(f"store i64 {name}, ptr {address}")

    loop(text, layout, body)
    return function("define i64", "canonical(ptr %in, i64 %n)", text)


def _reset(
    text: LlvmText, layout: StateLayout, values: Values, words: list[str], reset: Reset
) -> list[str]:
    condition = values.truth(reset.condition)
    masks = [0] * layout.width
    for cell in reset.cells:
        masks[layout.slots[cell].word] |= layout.slots[cell].mask
    for word, mask in enumerate(masks):
        if mask:
            without = text.value(f"and i64 {words[word]}, {signed(ALL_ONES ^ mask)}")
            words[word] = text.value(f"select i1 {condition}, i64 {without}, i64 {words[word]}")
    return words


def _sorted(
    text: LlvmText, layout: StateLayout, words: Sequence[str], group: SymmetryGroup
) -> list[str]:
    """The words after the members of a group are sorted."""
    keys = _Keys(text, layout, group)
    numbers = [keys.gathered(words, member) for member in range(len(group.members))]
    for low, high in _network(len(numbers)):
        one, other = numbers[low], numbers[high]
        below = text.value(f"icmp ult {keys.kind} {other}, {one}")
        choose = f"select i1 {below}, {keys.kind}"
        numbers[low] = text.value(f"{choose} {other}, {keys.kind} {one}")
        numbers[high] = text.value(f"{choose} {one}, {keys.kind} {other}")
    return keys.scattered(words, numbers)


def _network(count: int) -> Iterator[tuple[int, int]]:
    """Which places to compare in turn: insertion sort."""
    for end in range(1, count):
        for high in range(end, 0, -1):
            yield high - 1, high


class _Keys:
    """The keys of the members of a group: how they are laid out, gathered and put back.

    From the lowest bits up: what references in rows hold, which decides nothing; the number of the
    member, so that the sorted keys tell who came where; then what is compared, as in
    `SymmetryGroup.key`.
    """

    def __init__(self, text: LlvmText, layout: StateLayout, group: SymmetryGroup) -> None:
        self.text = text
        self.layout = layout
        self.group = group
        self.count = len(group.members)
        #: The columns in the order of the first member's cells, so that runs of cells stay runs.
        self.columns = sorted(
            (column for column in group.columns if layout.slots[column[0]].bits),
            key=lambda column: (layout.slots[column[0]].word, layout.slots[column[0]].shift),
        )
        row_bits = [layout.slots[row[0].cell].bits for row in group.rows]
        widths = [*row_bits, self.count.bit_length()]
        widths += [layout.slots[column[0]].bits for column in self.columns]
        widths += [1 for reference in group.shared for _ in reference.naming]
        widths += row_bits
        widths += [1 for row in group.rows for _ in row[0].naming for _ in ("own", "other")]
        places = iter(_places(widths))
        self.held = [next(places) for _ in group.rows]
        self.index = next(places)
        self.own = [next(places) for _ in self.columns]
        self.shared = [[next(places) for _ in each.naming] for each in group.shared]
        self.plain = [next(places) for _ in group.rows]
        self.naming = [[(next(places), next(places)) for _ in row[0].naming] for row in group.rows]
        last = _places([*widths, 1])[-1]
        self.words = max(1, -(-last // WORD))
        self.kind = f"i{self.words * WORD}"

    # --- from the state to the keys --------------------------------------------------------------

    def gathered(self, words: Sequence[str], member: int) -> str:
        """Return the key of a member."""
        pieces: list[list[str]] = [[] for _ in range(self.words)]
        pieces[self.index // WORD].append(str(member << self.index % WORD))
        for (word, part, distance), mask in self._moves(member).items():
            name = self.text.value(f"and i64 {words[word]}, {signed(mask)}")
            pieces[part].append(_shifted(self.text, name, distance))
        values = Values(self.text, self.layout, words)
        for places, reference in zip(self.shared, self.group.shared, strict=True):
            for place, naming in zip(places, reference.naming, strict=True):
                named = self._names(values, reference, naming[member])
                self._put(pieces, place, self.text.value(f"zext i1 {named} to i64"))
        for number, row in enumerate(self.group.rows):
            self._gather_row(pieces, values, number, row[member], member)
        return self._joined([_ored(self.text, each) for each in pieces])

    def _gather_row(
        self,
        pieces: list[list[str]],
        values: Values,
        number: int,
        reference: Reference,
        member: int,
    ) -> None:
        emit = self.text.value
        slot = self.layout.slots[reference.cell]
        held = _shifted(self.text, values.masked(reference.cell), -slot.shift)
        self._put(pieces, self.held[number], held)
        is_plain = "true"
        for (own, other), naming in zip(self.naming[number], reference.naming, strict=True):
            for one, value in enumerate(naming):
                named = self._names(values, reference, value)
                place = own if one == member else other
                self._put(pieces, place, emit(f"zext i1 {named} to i64"))
                is_none = emit(f"xor i1 {named}, true")
                is_plain = emit(f"and i1 {is_plain}, {is_none}")
        self._put(pieces, self.plain[number], emit(f"select i1 {is_plain}, i64 {held}, i64 0"))

    def _names(self, values: Values, reference: Reference, value: int) -> str:
        """Whether a reference holds this value, and it is one."""
        slot = self.layout.slots[reference.cell]
        wanted = signed((value - slot.low) << slot.shift)
        is_value = self.text.value(f"icmp eq i64 {values.masked(reference.cell)}, {wanted}")
        return self.text.value(f"and i1 {is_value}, {values.truth(reference.guard)}")

    def _put(self, pieces: list[list[str]], place: int, name: str) -> None:
        pieces[place // WORD].append(_shifted(self.text, name, place % WORD))

    def _joined(self, parts: Sequence[str]) -> str:
        if self.words == 1:
            return parts[0]
        joined = "0"
        for number, part in enumerate(parts):
            wide = self.text.value(f"zext i64 {part} to {self.kind}")
            moved = self.text.value(f"shl {self.kind} {wide}, {number * WORD}")
            joined = self.text.value(f"or {self.kind} {joined}, {moved}")
        return joined

    # --- from the sorted keys to the state -------------------------------------------------------

    def scattered(self, words: Sequence[str], numbers: Sequence[str]) -> list[str]:
        """Return the words when each member has the key that has come to its place."""
        pieces: list[list[str]] = [[] for _ in words]
        cleared = [0] * len(words)
        parts = [self._parts(number) for number in numbers]
        for member, own in enumerate(parts):
            for (word, part, distance), mask in self._moves(member).items():
                cleared[word] |= mask
                moved = _shifted(self.text, own[part], -distance)
                pieces[word].append(self.text.value(f"and i64 {moved}, {signed(mask)}"))
        after = [
            self._assembled(name, cleared[word], pieces[word]) for word, name in enumerate(words)
        ]
        for places, reference in zip(self.shared, self.group.shared, strict=True):
            for place, naming in zip(places, reference.naming, strict=True):
                for value, own in zip(naming, parts, strict=True):
                    self._store(after, reference.cell, str(value), self._bit(own, place))
        for number, row in enumerate(self.group.rows):
            for reference, own in zip(row, parts, strict=True):
                self._scatter_row(after, number, reference, own, parts)
        return after

    def _scatter_row(
        self,
        after: list[str],
        number: int,
        reference: Reference,
        own: Sequence[str],
        parts: Sequence[Sequence[str]],
    ) -> None:
        emit = self.text.value
        slot = self.layout.slots[reference.cell]
        held = self._field(own, self.held[number], slot.bits)
        held = emit(f"add i64 {held}, {slot.low}")
        self._store(after, reference.cell, held, "true")
        for (mine, other), naming in zip(self.naming[number], reference.naming, strict=True):
            is_named = emit(f"or i1 {self._bit(own, mine)}, {self._bit(own, other)}")
            for one, value in enumerate(naming):
                is_value = emit(f"icmp eq i64 {held}, {value}")
                both = emit(f"and i1 {is_named}, {is_value}")
                self._store(after, reference.cell, self._value_of(one, naming, parts), both)

    def _value_of(self, member: int, naming: Sequence[int], parts: Sequence[Sequence[str]]) -> str:
        """The value that names, after sorting, who was this member before."""
        found = str(naming[0])
        for value, own in zip(naming[1:], parts[1:], strict=True):
            index = self._field(own, self.index, self.count.bit_length())
            is_here = self.text.value(f"icmp eq i64 {index}, {member}")
            found = self.text.value(f"select i1 {is_here}, i64 {value}, i64 {found}")
        return found

    def _store(self, after: list[str], cell: int, value: str, condition: str) -> None:
        """Give a cell a value where the condition holds."""
        emit, slot = self.text.value, self.layout.slots[cell]
        bits = _shifted(self.text, emit(f"sub i64 {value}, {slot.low}"), slot.shift)
        other = emit(f"and i64 {after[slot.word]}, {signed(ALL_ONES ^ slot.mask)}")
        stored = emit(f"or i64 {other}, {bits}")
        kept = after[slot.word]
        after[slot.word] = emit(f"select i1 {condition}, i64 {stored}, i64 {kept}")

    def _field(self, own: Sequence[str], place: int, bits: int) -> str:
        name = _shifted(self.text, own[place // WORD], -(place % WORD))
        return self.text.value(f"and i64 {name}, {signed((1 << bits) - 1)}")

    def _bit(self, own: Sequence[str], place: int) -> str:
        return self.text.value(f"icmp ne i64 {self._field(own, place, 1)}, 0")

    def _parts(self, number: str) -> list[str]:
        if self.words == 1:
            return [number]
        found: list[str] = []
        for part in range(self.words):
            moved = self.text.value(f"lshr {self.kind} {number}, {part * WORD}")
            found.append(self.text.value(f"trunc {self.kind} {moved} to i64"))
        return found

    def _assembled(self, name: str, cleared: int, pieces: Sequence[str]) -> str:
        if not cleared:
            return name
        kept = self.text.value(f"and i64 {name}, {signed(ALL_ONES ^ cleared)}")
        return _ored(self.text, [kept, *pieces])

    def _moves(self, member: int) -> dict[tuple[int, int, int], int]:
        """Bits of a word, by where in the key they go: the part, and how far they are moved."""
        moves: dict[tuple[int, int, int], int] = {}
        for column, place in zip(self.columns, self.own, strict=True):
            slot = self.layout.slots[column[member]]
            move = (slot.word, place // WORD, place % WORD - slot.shift)
            moves[move] = moves.get(move, 0) | slot.mask
        return moves


def _places(widths: Sequence[int]) -> list[int]:
    """Where each cell of a key begins; none straddles two words."""
    places: list[int] = []
    place = 0
    for width in widths:
        if place % WORD + width > WORD:
            place += WORD - place % WORD
        places.append(place)
        place += width
    return places


def _shifted(text: LlvmText, name: str, distance: int) -> str:
    if distance > 0:
        return text.value(f"shl i64 {name}, {distance}")
    return text.value(f"lshr i64 {name}, {-distance}") if distance else name


def _ored(text: LlvmText, names: Sequence[str]) -> str:
    joined = names[0] if names else "0"
    for name in names[1:]:
        joined = text.value(f"or i64 {joined}, {name}")
    return joined
