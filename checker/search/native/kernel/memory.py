"""Memory access for the inner loops: addresses, words, and synchronisation between threads.

Every value is a signed 64-bit integer, addresses too. So a compiled loop needs neither Python nor
numba when it runs, and signed and unsigned values never mix, which numba would turn into floats. An
unsigned shift is written as a shift and a mask.
"""

from __future__ import annotations

# What numba compiles has no types that a checker of Python could follow: tests hold it to the
# readable search instead.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from platform import machine

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

WORD, HALF, BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(8)
DOUBLE = ir.IntType(128)
ALIGNMENT = 8
#: So often a thread looks for what it waits for before it yields its processor: for about as long
#: as a batch takes.
TRIES = 1 << 9
#: Bytes that come from memory together.
LINE = 64
#: Nothing of Python: no wrapper that it could call, no exception for a division by zero.
OPTIONS = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def inline(function):
    """A function that becomes a part of the loops that call it."""
    return njit(forceinline=True, **OPTIONS)(function)


def _pointer(builder, address, kind):
    return builder.inttoptr(address, kind.as_pointer())


def _element(builder, arguments, kind):
    base, place = arguments[0], arguments[1]
    size = ir.Constant(WORD, kind.width // 8)
    return _pointer(builder, builder.add(base, builder.mul(place, size)), kind)


def _reads(kind):
    def generate(_context, builder, _signature, arguments):
        found = builder.load(_element(builder, arguments, kind))
        return found if kind is WORD else builder.zext(found, WORD)

    return types.int64(types.int64, types.int64), generate


def _writes(kind):
    def generate(context, builder, _signature, arguments):
        value = arguments[2] if kind is WORD else builder.trunc(arguments[2], kind)
        builder.store(value, _element(builder, arguments, kind))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def word(_context, address, place):
    """The word at a place of an array."""
    return _reads(WORD)


@intrinsic
def half(_context, address, place):
    """The half word at a place of an array, unsigned."""
    return _reads(HALF)


@intrinsic
def byte(_context, address, place):
    """The byte at a place of an array, unsigned."""
    return _reads(BYTE)


@intrinsic
def set_word(_context, address, place, value):
    """Writes a word."""
    return _writes(WORD)


@intrinsic
def set_half(_context, address, place, value):
    """Writes a half word."""
    return _writes(HALF)


@intrinsic
def set_byte(_context, address, place, value):
    """Writes a byte."""
    return _writes(BYTE)


@intrinsic
def count_bits(_context, value):
    """How many bits of a word are set."""

    def generate(_context, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest_bit(_context, value):
    """The place of the lowest bit that is set; one must be."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def product(_context, one, other):
    """The two halves of the product of two words, each of which mixes all bits, made one."""

    def generate(_context, builder, _signature, arguments):
        one, other = (builder.zext(each, DOUBLE) for each in arguments)
        whole = builder.mul(one, other)
        upper = builder.lshr(whole, ir.Constant(DOUBLE, WORD.width))
        return builder.xor(builder.trunc(whole, WORD), builder.trunc(upper, WORD))

    return types.int64(types.int64, types.int64), generate


def _finds(kind):
    """Compares all entries of a line with one, but for the bits that are not in a mask."""
    lanes = LINE // (kind.width // 8)
    vector = ir.VectorType(kind, lanes)

    def spread(builder, value):
        value = value if kind is WORD else builder.trunc(value, kind)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, HALF(0))
        zeros = ir.Constant(ir.VectorType(HALF, lanes), [0] * lanes)
        return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

    def generate(_context, builder, _signature, arguments):
        line, entry, mask = arguments
        found = builder.load(_pointer(builder, line, vector), align=kind.width // 8)
        differing = builder.and_(builder.xor(found, spread(builder, entry)), spread(builder, mask))
        are_same = builder.icmp_unsigned("==", differing, ir.Constant(vector, [0] * lanes))
        return builder.zext(builder.bitcast(are_same, ir.IntType(lanes)), WORD)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def words_like(_context, line, entry, mask):
    """Which of the words of a line are an entry, where the mask has bits: a bit for each."""
    return _finds(WORD)


@intrinsic
def halves_like(_context, line, entry, mask):
    """Which of the half words of a line are an entry, where the mask has bits: a bit for each."""
    return _finds(HALF)


# --- between threads -----------------------------------------------------------------------------


@intrinsic
def seen_word(_context, address, place):
    """A word that another thread published: what that thread wrote before is seen too."""

    def generate(_context, builder, _signature, arguments):
        pointer = _element(builder, arguments, WORD)
        return builder.load_atomic(pointer, "acquire", ALIGNMENT)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def publish_word(_context, address, place, value):
    """Writes a word, after all that this thread wrote before."""

    def generate(context, builder, _signature, arguments):
        pointer = _element(builder, arguments, WORD)
        builder.store_atomic(arguments[2], pointer, "release", ALIGNMENT)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def publish_half(_context, address, place, value):
    """Writes a half word, after all that this thread wrote before."""

    def generate(context, builder, _signature, arguments):
        pointer = _element(builder, arguments, HALF)
        value = builder.trunc(arguments[2], HALF)
        builder.store_atomic(value, pointer, "release", HALF.width // 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def swapped(_context, address, place, old, new):
    """Whether the word was the old one, and is the new one now, at once for all threads."""

    def generate(_context, builder, _signature, arguments):
        pointer = _element(builder, arguments, WORD)
        pair = builder.cmpxchg(pointer, *arguments[2:], "acq_rel", "acquire")
        return builder.zext(builder.extract_value(pair, 1), WORD)

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def yield_processor(_context):
    """Lets another thread run."""

    def generate(context, builder, _signature, _arguments):
        kind = ir.FunctionType(HALF, [])
        function = cgutils.get_or_insert_function(builder.module, kind, "sched_yield")
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def relax(_context):
    """Tells the processor that this thread waits for another one, if it wants to know."""

    def generate(context, builder, _signature, _arguments):
        if machine() in {"x86_64", "AMD64"}:
            kind = ir.FunctionType(ir.VoidType(), [])
            name = "llvm.x86.sse2.pause"
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
        return context.get_dummy_value()

    return types.void(), generate


@inline
def wait(tries):
    """Waits a little, and returns how often it has been called: 0 before the first time.

    Other threads soon come to an end. A thread that yields its processor at once may not get it
    back for as long as other programs want to run.
    """
    if tries < TRIES:
        relax()
    else:
        yield_processor()
    return tries + 1


@inline
def lock(block, place):
    """Waits until the lock at a place is this thread's."""
    tries = 0
    while not swapped(block, place, 0, 1):
        tries = wait(tries)


@inline
def unlock(block, place):
    """Gives the lock back."""
    publish_word(block, place, 0)


# --- generated functions, and what is needed soon ------------------------------------------------


def _call_of(arity):
    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(WORD, [WORD] * arity)
        return builder.call(_pointer(builder, arguments[0], kind), list(arguments[1:]))

    return types.int64(*[types.int64] * (arity + 1)), generate


@intrinsic
def call_1(_context, function, a):
    """Calls `i64 f(i64)`; pointers are passed as integers here and below."""
    return _call_of(1)


@intrinsic
def call_2(_context, function, a, b):
    """Calls `i64 f(i64, i64)`."""
    return _call_of(2)


@intrinsic
def call_3(_context, function, a, b, c):
    """Calls `i64 f(i64, i64, i64)`."""
    return _call_of(3)


@intrinsic
def call_6(_context, function, a, b, c, d, e, f):
    """Calls `i64 f(i64, …)` with six arguments."""
    return _call_of(6)


@intrinsic
def prefetch(_context, address):
    """Asks memory for what will be read soon."""

    def generate(context, builder, _signature, arguments):
        kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), HALF, HALF, HALF])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, data = (ir.Constant(HALF, value) for value in (0, 3, 1))
        builder.call(function, [_pointer(builder, arguments[0], BYTE), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate
