"""Vector operations on 64 samples at a time, written in LLVM's own terms.

The samples of a block are the *lanes* of one vector of 16-bit numbers. The compiler does not find
these operations in a loop (benchmarks/README.md#kernel), so they are spelled out; LLVM turns them
into whatever the processor has. For each operation there is a twin in NumPy that says what it does,
and that stands in for it when Numba is switched off.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from fuzzyfrog.common.tnorms import LARGEST, SUM
from fuzzyfrog.measure.geometry import LANES, MISSING, NEVER, STAGE

ALL_LANES = np.uint64(0xFFFFFFFFFFFFFFFF)
_MOST = 32767  # sums stop here
_I1, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
_VECTOR = ir.VectorType(_I16, LANES)
_ZEROS = ir.Constant(_VECTOR, [0] * LANES)


def _bits(lanes: Any) -> np.uint64:
    return np.uint64(sum(1 << int(lane) for lane in np.flatnonzero(lanes)))


def _joined_in_numpy(joined: Any, there: Any, here: Any, join: int, gaps: bool) -> Any:
    away = np.abs(there.astype(np.int64) - int(here))
    if gaps:
        away[(there == MISSING) | (here == MISSING)] = 0
    return np.minimum(joined + away if join == SUM else np.maximum(joined, away), _MOST)


def _below_in_numpy(join: int, gaps: bool) -> Callable[..., np.uint64]:
    """Return which lanes of a block may be nearer to sample i than their limits, as bits.

    The features are joined stage by stage, until no lane is left or all features were seen. Each
    of the first `n_real` adds a step of slack, for rounding; what follows them is filling.
    """

    def below(lanes, queries, features, n_real, i, block, limit, offset, limit_i):  # type: ignore[no-untyped-def]
        joined, under = np.zeros(LANES, np.int64), np.ones(LANES, np.bool_)
        known = np.maximum(limit[offset : offset + LANES].astype(np.int64), limit_i)
        for k in range(0, features.size, STAGE):
            for f in features[k : k + STAGE]:
                there, here = lanes[f, block : block + LANES], queries[i, f]
                joined = _joined_in_numpy(joined, there, here, join, gaps)
            slack = min(k + STAGE, n_real) if join == SUM else 1  # one step for each distance
            under = joined < np.minimum(known + slack, _MOST)
            if not under.any():
                break
        return _bits(under)

    return below


def _closest_in_numpy(join: int, gaps: bool) -> Callable[..., int]:
    """Return the first lane of a block that is nearest to sample i, as far as 16 bits can show."""

    def closest(lanes, queries, features, i, block):  # type: ignore[no-untyped-def]
        joined = np.zeros(LANES, np.int64)
        for f in features:
            joined = _joined_in_numpy(
                joined, lanes[f, block : block + LANES], queries[i, f], join, gaps
            )
        return int(np.argmin(joined))

    return closest


def _near_in_numpy(join: int) -> Callable[..., np.uint64]:
    """Return the lanes of a block that may be nearer to a node's box than their limits, as bits."""

    def near(lanes, block, low, high, node, limit, offset):  # type: ignore[no-untyped-def]
        there = lanes[: low.shape[1], block : block + LANES].astype(np.int64).T
        away = np.abs(there - np.clip(there, low[node], high[node]))
        joined = np.minimum(away.sum(axis=1) if join == SUM else away.max(axis=1), _MOST)
        slack = low.shape[1] if join == SUM else 1
        known = limit[offset : offset + LANES].astype(np.int64)
        return _bits(joined < known + slack)

    return near


def _set_ceilings_in_numpy(
    level: Any, alike: int, step: int, low: int, high: int, block: int,
    limit: Any, offset: int, limit_i: int, ceiling: Any,
) -> None:  # fmt: skip
    """Set what the distance of each lane must stay below: its limit less what the targets add.

    The lanes of a block are compared with levels from `low` to `high`; their limits start at the
    offset, and `limit_i` counts where it is larger. The targets are alike by at least `step` for
    each level that they are less than `alike` levels apart.
    """
    there = level[block : block + LANES].astype(np.int64)
    farthest = np.maximum(there - int(low), int(high) - there)
    added = int(step) * np.maximum(int(alike) - farthest, 0)
    known = np.maximum(limit[offset : offset + LANES].astype(np.int64), int(limit_i))
    ceiling[:] = np.maximum(known - added, NEVER)


def _first_lane_in_numpy(bits: np.uint64) -> int:
    """Return the number of the first lane in a set of lanes."""
    return (int(bits) & -int(bits)).bit_length() - 1


def _below_in_vectors(join: int, gaps: bool) -> Any:
    """Return `below` with all lanes in vector registers."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes, queries, features, limit = _arrays(context, builder, signature, args, (0, 1, 2, 6))
        n_real, i, block, offset, limit_i = args[3], args[4], args[5], args[7], args[8]
        known = _load(builder, builder.gep(limit.data, [offset]))
        known = _call(builder, "smax", known, _fill(builder, limit_i))

        loop, done, k, joined = _open_loop(builder)
        total = _stage(builder, (lanes, queries, features), (i, block, k), joined, join, gaps)
        after = builder.add(k, ir.Constant(_I64, STAGE))
        seen = builder.select(builder.icmp_signed("<", after, n_real), after, n_real)
        slack = builder.trunc(seen, _I16) if join == SUM else ir.Constant(_I16, 1)
        bits = _under(builder, total, known, slack)
        some = builder.icmp_signed("!=", bits, ir.Constant(_I64, 0))
        count = builder.extract_value(features.shape, 0)
        more = builder.and_(builder.icmp_signed("<", after, count), some)
        _close_loop(builder, loop, done, more, (k, after), (joined, total))
        return bits

    @intrinsic
    def below(typing, lanes, queries, features, n_real, i, block, limit, offset, limit_i):  # type: ignore[no-untyped-def]
        i64, i16 = types.int64, types.int16
        return types.uint64(lanes, queries, features, i64, i64, i64, limit, i64, i16), lower

    return below


def _closest_in_vectors(join: int, gaps: bool) -> Any:
    """Return `closest` with all lanes in vector registers."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes, queries, features = _arrays(context, builder, signature, args, (0, 1, 2))
        loop, done, k, joined = _open_loop(builder)
        total = _stage(builder, (lanes, queries, features), (*args[3:], k), joined, join, gaps)
        after = builder.add(k, ir.Constant(_I64, STAGE))
        more = builder.icmp_signed("<", after, builder.extract_value(features.shape, 0))
        _close_loop(builder, loop, done, more, (k, after), (joined, total))
        name, kind = f"llvm.vector.reduce.smin.v{LANES}i16", ir.FunctionType(_I16, [_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        smallest = _fill(builder, builder.call(function, [total]))
        bits = builder.bitcast(builder.icmp_signed("==", total, smallest), _I64)
        return builder.cttz(bits, ir.Constant(_I1, 0))

    @intrinsic
    def closest(typing, lanes, queries, features, i, block):  # type: ignore[no-untyped-def]
        return types.int64(lanes, queries, features, types.int64, types.int64), lower

    return closest


def _near_in_vectors(join: int) -> Any:
    """Return `near` with all lanes in vector registers."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes, low, high, limit = _arrays(context, builder, signature, args, (0, 2, 3, 5))
        block, node, offset = args[1], args[4], args[6]
        n_axes = builder.extract_value(low.shape, 1)
        first_lanes = builder.gep(lanes.data, [block])
        corner = builder.mul(node, n_axes)

        loop, done, axis, joined = _open_loop(builder)
        row = builder.mul(axis, _row_length(builder, lanes))
        there = _load(builder, builder.gep(first_lanes, [row]))
        place = builder.add(corner, axis)
        bottom = _fill(builder, builder.load(builder.gep(low.data, [place])))
        top = _fill(builder, builder.load(builder.gep(high.data, [place])))
        inside = _call(builder, "smin", _call(builder, "smax", there, bottom), top)
        total = _join(builder, join, joined, _away(builder, there, inside, gaps=False))
        after = builder.add(axis, ir.Constant(_I64, 1))
        more = builder.icmp_signed("<", after, n_axes)
        _close_loop(builder, loop, done, more, (axis, after), (joined, total))

        slack = builder.trunc(n_axes, _I16) if join == SUM else ir.Constant(_I16, 1)
        return _under(builder, total, _load(builder, builder.gep(limit.data, [offset])), slack)

    @intrinsic
    def near(typing, lanes, block, low, high, node, limit, offset):  # type: ignore[no-untyped-def]
        i64 = types.int64
        return types.uint64(lanes, i64, low, high, i64, limit, i64), lower

    return near


@intrinsic
def _set_ceilings_in_vectors(  # type: ignore[no-untyped-def]
    typing, level, alike, step, low, high, block, limit, offset, limit_i, ceiling
):
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        levels, limits, ceilings = _arrays(context, builder, signature, args, (0, 6, 9))
        alike, step, low, high, limit_i = (_fill(builder, args[at]) for at in (1, 2, 3, 4, 8))
        there = _load(builder, builder.gep(levels.data, [args[5]]))
        farthest = _call(builder, "smax", builder.sub(there, low), builder.sub(high, there))
        less = _call(builder, "smax", builder.sub(alike, farthest), _ZEROS)
        known = _load(builder, builder.gep(limits.data, [args[7]]))
        known = _call(builder, "smax", known, limit_i)
        result = _call(builder, "ssub.sat", known, builder.mul(step, less))
        place = builder.bitcast(ceilings.data, _VECTOR.as_pointer())
        builder.store(result, place, align=2)
        return context.get_dummy_value()

    i64, i16 = types.int64, types.int16
    signature = types.none(level, i16, i16, i16, i16, i64, limit, i64, i16, ceiling)
    return signature, lower


@intrinsic
def _first_lane_in_one_step(typing, bits):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 0))

    return types.int64(types.uint64), lower


def _arrays(
    context: Any, builder: Any, signature: Any, args: Any, places: tuple[int, ...]
) -> list[Any]:
    """Return the arrays among the arguments of an operation, with their data and shapes."""
    return [context.make_array(signature.args[at])(context, builder, args[at]) for at in places]


def _open_loop(builder: Any) -> tuple[Any, Any, Any, Any]:
    """Start a loop with a counter and a vector, both 0 at first."""
    before = builder.block
    loop, done = builder.append_basic_block("loop"), builder.append_basic_block("done")
    builder.branch(loop)
    builder.position_at_end(loop)
    counter, joined = builder.phi(_I64), builder.phi(_VECTOR)
    counter.add_incoming(ir.Constant(_I64, 0), before)
    joined.add_incoming(_ZEROS, before)
    return loop, done, counter, joined


def _close_loop(builder: Any, loop: Any, done: Any, more: Any, *carried: tuple[Any, Any]) -> None:
    """Go back to the start of the loop, with new values, while there is more to do."""
    for variable, value in carried:
        variable.add_incoming(value, builder.block)
    builder.cbranch(more, loop, done)
    builder.position_at_end(done)


def _stage(builder: Any, arrays: Any, places: Any, joined: Any, join: int, gaps: bool) -> Any:
    """Join the distances between sample i and a block on the next few features."""
    (lanes, queries, features), (i, block, k) = arrays, places
    first_lanes = builder.gep(lanes.data, [block])
    query = builder.gep(queries.data, [builder.mul(i, _row_length(builder, queries))])
    for step in range(STAGE):
        place = builder.add(k, ir.Constant(_I64, step))
        feature = builder.load(builder.gep(features.data, [place]))
        row = builder.mul(feature, _row_length(builder, lanes))
        there = _load(builder, builder.gep(first_lanes, [row]))
        here = _fill(builder, builder.load(builder.gep(query, [feature])))
        joined = _join(builder, join, joined, _away(builder, there, here, gaps))
    return joined


def _away(builder: Any, there: Any, here: Any, gaps: bool) -> Any:
    """Return absolute differences, 0 where a value is missing."""
    away = _call(builder, "abs", builder.sub(there, here), ir.Constant(_I1, 0))
    if not gaps:
        return away
    missing = ir.Constant(_VECTOR, [MISSING] * LANES)
    not_there = builder.icmp_signed("==", there, missing)
    not_here = builder.icmp_signed("==", here, missing)
    return builder.select(builder.or_(not_there, not_here), _ZEROS, away)


def _join(builder: Any, join: int, joined: Any, away: Any) -> Any:
    return _call(builder, "sadd.sat" if join == SUM else "smax", joined, away)


def _under(builder: Any, joined: Any, known: Any, slack: Any) -> Any:
    """Return the lanes that are less than the limit plus some slack, as bits."""
    ceiling = _call(builder, "sadd.sat", known, _fill(builder, slack))
    return builder.bitcast(builder.icmp_signed("<", joined, ceiling), _I64)


def _call(builder: Any, name: str, *args: Any) -> Any:
    """Call one of LLVM's vector operations."""
    signature = ir.FunctionType(_VECTOR, [arg.type for arg in args])
    name = f"llvm.{name}.v{LANES}i16"
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), args)


def _fill(builder: Any, scalar: Any) -> Any:
    """Put one number into all lanes."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, scalar, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, zeros)


def _load(builder: Any, pointer: Any) -> Any:
    """Load all lanes from memory."""
    return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=2)


def _row_length(builder: Any, array: Any) -> Any:
    """Return the number of 16-bit numbers from one row of an array to the next."""
    return builder.sdiv(builder.extract_value(array.strides, 0), ir.Constant(_I64, 2))


_below: Callable[[int, bool], Any]
_closest: Callable[[int, bool], Any]
_near: Callable[[int], Any]
first_lane: Any
set_ceilings: Any
if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _below, _closest, _near = _below_in_numpy, _closest_in_numpy, _near_in_numpy
    first_lane, set_ceilings = _first_lane_in_numpy, _set_ceilings_in_numpy
else:
    _below, _closest, _near = _below_in_vectors, _closest_in_vectors, _near_in_vectors
    first_lane, set_ceilings = _first_lane_in_one_step, _set_ceilings_in_vectors

below_sum, below_sum_gaps = _below(SUM, False), _below(SUM, True)
below_largest, below_largest_gaps = _below(LARGEST, False), _below(LARGEST, True)
closest_sum, closest_sum_gaps = _closest(SUM, False), _closest(SUM, True)
closest_largest, closest_largest_gaps = _closest(LARGEST, False), _closest(LARGEST, True)
near_sum, near_largest = _near(SUM), _near(LARGEST)
