"""The soft dependency of subsets that extend a common one: sums of similarities over all pairs.

Several samples, the *anchors*, are the lanes of a vector; all samples pass by as references. With
hk = 0.4 (size of the subset), e = exp(-delta / 0.4) is a product of one factor for each feature,
and the three similarities are e, e squared and e to the fourth (docs/theory.md#soft-factors):

- a number has the factor exp(-|v_x - v_y| / hk) = min(u_x w_y, w_x u_y), with u = exp(v / hk) and
  w = exp(-v / hk) computed once for each sample;
- a category has the factor 1 where it is the same and a constant where it differs;
- a gap (NaN) has a constant factor, that of the mean difference of the feature.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.measure.soft_arrays import (
    CATEGORY,
    DOUBLE,
    GAPS,
    NUMBER,
    SAME,
    SINGLE,
    factor,
)

__all__ = ["left_out_losses", "memberships"]

LARGEST = np.finfo(np.float64).max  # of a distance; of samples that are left out, it is infinite
LINE = 64  # bytes of a line of the cache, as long as a vector
PART = 32  # of a block
NONE = -1.0  # no distance is as small
BLOCK = 256  # samples of which none is looked at if all are far away
STEPS = 4  # of a path in one pass over the samples: their distances are read and written once

_I32, _I64 = ir.IntType(32), ir.IntType(64)


def _fold_in_numpy(weights, a, b, feature, first, n, a_here, b_here, kind, differs, gap):
    """Multiply the weights of a tile by the factors of one feature."""
    there = slice(first, first + n)
    weights[:n] *= factor(
        kind, a[feature, there, np.newaxis], b[feature, there, np.newaxis],
        a_here[feature], b_here[feature], differs, gap,
    )  # fmt: skip


def _sums_in_numpy(
    weights, masses, likeness, a, b, feature, first, n, a_here, b_here, kind, differs, gap,
    is_weighted, is_graded, out,
):  # fmt: skip
    """Sum e, e^2 and e^4 over a tile, times masses, and also times the likeness of the targets."""
    there = slice(first, first + n)
    f = factor(
        kind, a[feature, there, np.newaxis], b[feature, there, np.newaxis],
        a_here[feature], b_here[feature], differs, gap,
    )  # fmt: skip
    e = weights[:n] * f
    e2 = e * e
    powers = e, e2, e2 * e2
    if is_weighted:
        once = masses[there, np.newaxis] * e
        powers = once, once * e, once * e * e2
    for row, terms in enumerate(powers):
        # One after the other, as the vectors do it.
        out[row] = np.add.accumulate(terms, axis=0)[-1]
        if is_graded:
            out[3 + row] = np.add.accumulate(terms * likeness[:n], axis=0)[-1]


class _Vectors:
    """Builds the two operations on vectors of anchors, of float32 or float64."""

    def __init__(self, n_lanes: int, scalar: ir.Type) -> None:
        self.n_lanes, self.scalar = n_lanes, scalar
        self.vector = ir.VectorType(scalar, n_lanes)
        self.align = 4 if isinstance(scalar, ir.FloatType) else 8

    def fill(self, builder: Any, scalar: Any) -> Any:
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = builder.insert_element(nothing, scalar, ir.Constant(_I32, 0))
        zeros = ir.Constant(ir.VectorType(_I32, self.n_lanes), [0] * self.n_lanes)
        return builder.shuffle_vector(first, nothing, zeros)

    def load(self, builder: Any, pointer: Any) -> Any:
        return builder.load(builder.bitcast(pointer, self.vector.as_pointer()), align=self.align)

    def store(self, builder: Any, value: Any, pointer: Any) -> None:
        builder.store(value, builder.bitcast(pointer, self.vector.as_pointer()), align=self.align)

    def factor(self, builder: Any, kind: int, there: Any, here: Any, differs: Any, gap: Any) -> Any:
        (a_there, b_there), (a_here, b_here) = there, here
        if kind == CATEGORY:
            ones = ir.Constant(self.vector, [1.0] * self.n_lanes)
            same = builder.fcmp_ordered("==", a_there, a_here)
            unknown = builder.fcmp_unordered("uno", a_there, a_here)
            return builder.select(unknown, gap, builder.select(same, ones, differs))
        one, other = builder.fmul(a_here, b_there), builder.fmul(b_here, a_there)
        smaller = builder.select(builder.fcmp_ordered("<", one, other), one, other)
        if kind == NUMBER:
            return smaller
        return builder.select(builder.fcmp_unordered("uno", smaller, smaller), gap, smaller)

    def loop(self, builder: Any, n: Any, carried: int, body: Any) -> list[Any]:
        """Run a body for 0, 1, ... below n (at least once); return the last carried vectors."""
        before = builder.block
        start, end = builder.append_basic_block("loop"), builder.append_basic_block("end")
        builder.branch(start)
        builder.position_at_end(start)
        k = builder.phi(_I64)
        k.add_incoming(ir.Constant(_I64, 0), before)
        sums = [builder.phi(self.vector) for _ in range(carried)]
        for one in sums:
            one.add_incoming(ir.Constant(self.vector, [0.0] * self.n_lanes), before)
        new = body(k, sums)
        after = builder.add(k, ir.Constant(_I64, 1))
        k.add_incoming(after, builder.block)
        for one, value in zip(sums, new, strict=True):
            one.add_incoming(value, builder.block)
        builder.cbranch(builder.icmp_signed("<", after, n), start, end)
        builder.position_at_end(end)
        return list(new)

    def by_kind(self, builder: Any, kind: Any, body: Any) -> None:
        """Choose one of three bodies, once for each call, by the kind of the feature."""
        done = builder.append_basic_block("done")
        for one in (NUMBER, GAPS, CATEGORY):
            then, other = builder.append_basic_block("kind"), builder.append_basic_block("other")
            builder.cbranch(builder.icmp_signed("==", kind, ir.Constant(_I64, one)), then, other)
            builder.position_at_end(then)
            body(one)
            builder.branch(done)
            builder.position_at_end(other)
        builder.branch(done)
        builder.position_at_end(done)


def _place(builder: Any, row: Any, length: Any, column: Any) -> Any:
    return builder.add(builder.mul(row, length), column)


def _lowered(n_lanes: int) -> tuple[Any, Any]:
    """Return `fold` and `sums` with the anchors in vector registers, as LLVM code."""
    scalar = ir.FloatType() if n_lanes == SINGLE else ir.DoubleType()
    vectors = _Vectors(n_lanes, scalar)
    lanes = ir.Constant(_I64, n_lanes)

    def setting(context, builder, signature, args, at):
        arrays = [
            context.make_array(signature.args[at + k])(context, builder, args[at + k])
            for k in (0, 1)
        ]
        feature, first, n = args[at + 2 : at + 5]
        here = [
            context.make_array(signature.args[at + k])(context, builder, args[at + k]).data
            for k in (5, 6)
        ]
        row = builder.mul(feature, builder.extract_value(arrays[0].shape, 1))
        start = builder.add(row, first)
        mine = builder.mul(feature, lanes)
        here = [vectors.load(builder, builder.gep(one, [mine])) for one in here]
        kind, differs, gap = args[at + 7 : at + 10]
        differs, gap = vectors.fill(builder, differs), vectors.fill(builder, gap)

        def factor(one_kind, k):
            there = [
                vectors.fill(
                    builder, builder.load(builder.gep(array.data, [builder.add(start, k)]))
                )
                for array in arrays
            ]
            return vectors.factor(builder, one_kind, there, here, differs, gap)

        return kind, n, factor

    def lower_fold(context, builder, signature, args):
        weights = context.make_array(signature.args[0])(context, builder, args[0]).data
        kind, n, factor = setting(context, builder, signature, args, 1)

        def body(one_kind):
            def turn(k, _):
                place = builder.gep(weights, [builder.mul(k, lanes)])
                folded = builder.fmul(vectors.load(builder, place), factor(one_kind, k))
                vectors.store(builder, folded, place)
                return []

            vectors.loop(builder, n, 0, turn)

        vectors.by_kind(builder, kind, body)
        return context.get_dummy_value()

    def lower_sums(context, builder, signature, args):
        weights, masses, likeness, out = (
            context.make_array(signature.args[k])(context, builder, args[k]).data
            for k in (0, 1, 2, 15)
        )
        kind, n, factor = setting(context, builder, signature, args, 3)

        def body_for(n_sums, is_weighted):
            def body(one_kind):
                def turn(k, sums):
                    place = builder.mul(k, lanes)

                    def load(tile):
                        return vectors.load(builder, builder.gep(tile, [place]))

                    f = factor(one_kind, k)
                    e = builder.fmul(load(weights), f)
                    e2 = builder.fmul(e, e)
                    if is_weighted:
                        mass = builder.load(builder.gep(masses, [builder.add(args[6], k)]))
                        once = builder.fmul(vectors.fill(builder, mass), e)
                        twice = builder.fmul(once, e)
                        terms = [once, twice, builder.fmul(twice, e2)]
                    else:
                        terms = [e, e2, builder.fmul(e2, e2)]
                    if n_sums == 6:
                        like = load(likeness)
                        terms += [builder.fmul(term, like) for term in terms]
                    return [builder.fadd(a, b) for a, b in zip(sums, terms, strict=True)]

                for row, value in enumerate(vectors.loop(builder, n, n_sums, turn)):
                    place = builder.gep(out, [ir.Constant(_I64, row * n_lanes)])
                    vectors.store(builder, value, place)

            return body

        cases = [builder.append_basic_block("case") for _ in range(4)]
        end = builder.append_basic_block("end")
        weighted, graded = (builder.zext(args[k], _I64) for k in (13, 14))
        chosen = builder.switch(builder.add(builder.add(weighted, weighted), graded), cases[0])
        for number, block in enumerate(cases):
            chosen.add_case(ir.Constant(_I64, number), block)
            builder.position_at_end(block)
            vectors.by_kind(builder, kind, body_for(6 if number % 2 else 3, number >= 2))
            builder.branch(end)
        builder.position_at_end(end)
        return context.get_dummy_value()

    return lower_fold, lower_sums


_LOWERED = {types.float32: _lowered(SINGLE), types.float64: _lowered(DOUBLE)}


@intrinsic
def _fold_in_vectors(typing, weights, a, b, feature, first, n, a_here, b_here, kind, differs, gap):
    i64, number = types.int64, weights.dtype
    return types.none(weights, a, b, i64, i64, i64, a_here, b_here, i64, number, number), _LOWERED[
        number
    ][0]


@intrinsic
def _sums_in_vectors(
    typing, weights, masses, likeness, a, b, feature, first, n, a_here, b_here, kind, differs, gap,
    is_weighted, is_graded, out,
):  # fmt: skip
    i64, number = types.int64, weights.dtype
    return types.none(
        weights, masses, likeness, a, b, i64, i64, i64, a_here, b_here, i64, number, number,
        types.boolean, types.boolean, out,
    ), _LOWERED[number][1]  # fmt: skip


_fold: Any
_sums: Any
if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _fold, _sums = _fold_in_numpy, _sums_in_numpy
else:
    _fold, _sums = _fold_in_vectors, _sums_in_vectors


@kernel
def memberships(
    a, b, kind, differs, gap, n_base, target, tiles, mass_of, together, masses, anchors, first,
    last, found, lowest,
):  # fmt: skip
    """Find the soft memberships of some anchors, for the base extended by each other feature.

    Parameters
    ----------
    a, b : float32 or float64[n_features, n_samples]
        For numbers exp(v / hk) and exp(-v / hk), for categories their codes (twice); NaN for gaps.
        The first `n_base` features are the base, each other one extends it.
    kind : int64[n_features]
        NUMBER, GAPS or CATEGORY.
    differs, gap : float[n_features]
        Factor of two categories that differ, and of a gap.
    n_base : int
        Features that all subsets have.
    target : float64[n_samples]
        Numeric targets in spreads; empty for classes.
    tiles : int64[n_tiles, 4]
        Samples that are summed up together, of one class: where they and where the class begin and
        end. With a numeric target, the class is all samples.
    mass_of : float64[n_tiles]
        The mass of each sample of a tile; 0 if they differ.
    together : int64[n_samples]
        The same number for samples that are left out of each other's sums, such as a sample itself.
    masses : float[n_samples]
        How many samples each one counts as in a sum; read in tiles where they differ.
    anchors : int64[n_anchors]
        Samples whose memberships are wanted; a multiple of the lanes.
    first, last : int
        The part of the anchors, in lanes, that is done here.
    found : float64[n_extensions, n_anchors]
        Memberships, written here.
    lowest : float64[n_extensions, n_anchors]
        Smallest of the three sums of similarities, written here: near 0 a membership is not sure.
    """
    n_features = a.shape[0]
    lanes = SINGLE if a.itemsize == 4 else DOUBLE
    is_graded = target.size > 0
    a_here, b_here = np.empty((n_features, lanes), a.dtype), np.empty((n_features, lanes), a.dtype)
    largest = (tiles[:, 1] - tiles[:, 0]).max()
    room = np.empty((largest + 1) * lanes, a.dtype)
    start = (LINE - room.ctypes.data % LINE) // a.itemsize  # no vector is in two lines of the cache
    weights = room[start : start + largest * lanes].reshape(largest, lanes)
    likeness = np.empty((largest, lanes), a.dtype)
    sums = np.empty((6, lanes), a.dtype)
    n_extensions = n_features - n_base
    total, alike = np.empty((n_extensions, 3, lanes)), np.empty((n_extensions, 3, lanes))
    own, mine = np.empty(lanes, np.float64), np.empty(lanes, np.int64)
    divisor = np.empty(lanes, np.float64)
    low, high = np.empty(len(tiles), np.int64), np.empty(len(tiles), np.int64)  # of `together`
    for t in range(len(tiles)):
        there = together[tiles[t, 0] : tiles[t, 1]]
        low[t], high[t] = there.min(), there.max()
    for block in range(first, last):
        here = anchors[block * lanes : (block + 1) * lanes]
        for f in range(n_features):
            for lane in range(lanes):
                a_here[f, lane] = a[f, here[lane]]
                b_here[f, lane] = b[f, here[lane]]
        for lane in range(lanes):
            mine[lane] = together[here[lane]]
        total[:] = 0.0
        alike[:] = 0.0
        for t in range(len(tiles)):
            tile, end, start_of_class, end_of_class = tiles[t]
            n = end - tile
            may_be_together = False
            for lane in range(lanes):
                is_own = start_of_class <= here[lane] < end_of_class
                own[lane] = 1.0 if is_own else 0.0
                may_be_together |= low[t] <= mine[lane] <= high[t]
            weights[:n] = 1.0
            if may_be_together:
                for k in range(n):
                    for lane in range(lanes):
                        weights[k, lane] = 0.0 if together[tile + k] == mine[lane] else 1.0
            if is_graded:
                for k in range(n):
                    for lane in range(lanes):
                        apart = abs(target[tile + k] - target[here[lane]])
                        likeness[k, lane] = max(0.0, 1.0 - apart)
            for f in range(n_base):
                _fold(weights, a, b, f, tile, n, a_here, b_here, kind[f], differs[f], gap[f])
            is_even = mass_of[t] > 0.0
            mass = mass_of[t] if is_even else 1.0
            for c in range(n_extensions):
                f = n_base + c
                _sums(
                    weights, masses, likeness, a, b, f, tile, n, a_here, b_here,
                    kind[f], differs[f], gap[f], not is_even, is_graded, sums,
                )  # fmt: skip
                for row in range(3):
                    for lane in range(lanes):
                        total[c, row, lane] += mass * sums[row, lane]
                        if is_graded:
                            alike[c, row, lane] += mass * sums[3 + row, lane]
                        else:
                            alike[c, row, lane] += own[lane] * (mass * sums[row, lane])
        places = slice(block * lanes, (block + 1) * lanes)
        for c in range(n_extensions):
            shares = found[c, places]
            shares[:] = 0.0
            for row in range(3):
                for lane in range(lanes):
                    divisor[lane] = total[c, row, lane] if total[c, row, lane] > 0.0 else 1.0
                np.divide(alike[c, row], divisor, divisor)  # unlike /, which looks for zeros
                for lane in range(lanes):
                    shares[lane] += divisor[lane]
            np.divide(shares, 3.0, shares)
            lowest[c, places] = total[c, 2]  # of fourth powers of numbers up to 1


@kernel
def _apart(there, here, kind, differs, gap):
    """Return how far two values of a feature are apart."""
    if kind == NUMBER:
        return abs(there - here)
    if np.isnan(here) or np.isnan(there):
        return gap
    if kind != CATEGORY:
        return abs(there - here)
    return differs if there != here else 0.0


@kernel
def _any_within(distances, limit):
    """Whether some distance is not beyond a limit."""
    found = False
    for k in range(distances.size):
        found |= distances[k] <= limit
    return found


@kernel
def _kept(distance, mass, n_neighbors, n_kept, taken, nearest, places):
    """Put a sample among the nearest; return how many of them are enough, and their mass."""
    k = n_kept
    while k > 0 and nearest[k - 1] > distance:
        nearest[k], places[k] = nearest[k - 1], places[k - 1]
        k -= 1
    nearest[k], places[k] = distance, mass
    n_kept, taken = n_kept + 1, taken + mass
    while taken - places[n_kept - 1] >= n_neighbors:
        n_kept, taken = n_kept - 1, taken - places[n_kept - 1]
    return n_kept, taken


@kernel
def left_out_losses(
    z, kind, differs, gap, codes, n_classes, target, n_nearest, together, masses, start, anchors,
    first, last, losses,
):  # fmt: skip
    """Find how wrong the nearest other samples of some anchors are.

    Parameters
    ----------
    z : float64[n_steps, n_samples]
        Numbers in spreads and codes of categories, NaN for gaps; in the order of the path.
    kind : int64[n_steps]
        The kind of each feature.
    differs, gap : float64[n_steps]
        Difference of two categories, and of a gap to anything.
    codes : int64[n_samples]
        Classes; not read with a numeric target.
    n_classes : int
        Number of classes; 0 for a numeric target.
    target : float64[n_samples]
        Numeric targets in spreads; not read with classes.
    n_nearest : float64[n_anchors]
        Number of neighbors of each anchor; of samples at the same distance as the last of them, all
        count, each with an equal part of the places that are left.
    together : int64[n_samples]
        The same number for samples that are no neighbors of each other, such as a sample itself.
    masses : float64[n_samples]
        How many neighbors each sample counts as.
    start : int
        The first step whose losses are wanted.
    anchors : int64[n_anchors]
        Samples whose losses are wanted.
    first, last : int
        The part of the anchors that is done here.
    losses : float64[n_steps - start, n_anchors]
        Written here: for classes 0 for a right vote, 1 for a wrong one, and 1 - 1 / n if n classes
        have as many votes and the right one is among them; for numbers the squared difference to
        the mean of the neighbors.
    """
    n_steps, n_samples = z.shape
    delta, ahead = np.empty(n_samples), np.empty(n_samples)
    nearest, places = np.empty((STEPS, n_samples + 1)), np.empty((STEPS, n_samples + 1))  # masses
    # Samples that may be among the nearest, or level with the last of them.
    close, distances = np.empty((STEPS, n_samples), np.int64), np.empty((STEPS, n_samples))
    n_close, n_kept = np.zeros(STEPS, np.int64), np.zeros(STEPS, np.int64)
    taken, farthest, limit = np.zeros(STEPS), np.empty(STEPS), np.empty(STEPS)
    votes, tied = np.empty(max(n_classes, 1)), np.empty(max(n_classes, 1))
    for place in range(first, last):
        x, n_neighbors = anchors[place], n_nearest[place]
        mine = together[x]
        for y in range(n_samples):
            delta[y] = np.inf if together[y] == mine else 0.0
        n_before = 0
        for start_of_pass in range(0, n_steps, STEPS):
            n_rows = min(STEPS, n_steps - start_of_pass)
            before = close[STEPS - 1, :n_before].copy()  # of the last step
            ahead[:n_before] = distances[STEPS - 1, :n_before]
            for row in range(n_rows):
                step = start_of_pass + row
                here, there = z[step, x], z[step]
                n_enough, mass = 0, 0.0
                for k in range(n_before):
                    y = before[k]
                    ahead[k] += _apart(there[y], here, kind[step], differs[step], gap[step])
                    n_enough, mass = _kept(
                        ahead[k], masses[y], n_neighbors, n_enough, mass, nearest[row], places[row]
                    )
                limit[row] = nearest[row, n_enough - 1] + SAME if n_before else LARGEST
                if step < start:
                    limit[row] = NONE
            n_close[:], n_kept[:], taken[:], farthest[:] = 0, 0, 0.0, np.inf
            for block in range(0, n_samples, BLOCK):
                sums = delta[block : block + BLOCK]
                for row in range(n_rows):
                    step = start_of_pass + row
                    here, there = z[step, x], z[step, block : block + BLOCK]
                    within, any_is_close = limit[row], False
                    if kind[step] == NUMBER:
                        for k in range(sums.size):
                            sums[k] += abs(there[k] - here)
                            any_is_close |= sums[k] <= within
                    else:
                        for k in range(sums.size):
                            sums[k] += _apart(there[k], here, kind[step], differs[step], gap[step])
                            any_is_close |= sums[k] <= within
                    if not any_is_close:
                        continue
                    for part in range(0, sums.size, PART):
                        if not _any_within(sums[part : part + PART], limit[row]):
                            continue
                        for k in range(part, min(part + PART, sums.size)):
                            distance, y = sums[k], block + k
                            if distance > limit[row]:
                                continue
                            close[row, n_close[row]] = y
                            distances[row, n_close[row]] = distance
                            n_close[row] += 1
                            if distance >= farthest[row]:
                                continue
                            n_kept[row], taken[row] = _kept(
                                distance, masses[y], n_neighbors, n_kept[row], taken[row],
                                nearest[row], places[row],
                            )  # fmt: skip
                            if taken[row] >= n_neighbors:
                                farthest[row] = nearest[row, n_kept[row] - 1]
                                limit[row] = farthest[row] + SAME
            n_before = n_close[STEPS - 1]
            for row in range(max(0, start - start_of_pass), n_rows):
                votes[:] = 0.0
                tied[:] = 0.0
                n_nearer, n_tied = 0.0, 0.0
                for k in range(n_close[row]):
                    y, distance = close[row, k], distances[row, k]
                    if distance > farthest[row] + SAME:
                        continue
                    code = codes[y] if n_classes else 0
                    value = masses[y] if n_classes else masses[y] * target[y]
                    if distance < farthest[row] - SAME:
                        n_nearer += masses[y]
                        votes[code] += value
                    else:
                        n_tied += masses[y]
                        tied[code] += value
                share, step = (n_neighbors - n_nearer) / n_tied, start_of_pass + row
                if n_classes == 0:
                    mean = (votes[0] + share * tied[0]) / n_neighbors
                    off = mean - target[x]
                    # The power is off by a bit in plain Python.
                    losses[step - start, place] = off * off
                    continue
                most = 0.0
                for code in range(n_classes):
                    votes[code] += share * tied[code]
                    most = max(most, votes[code])
                n_best = 0
                for code in range(n_classes):
                    if votes[code] >= most - SAME:
                        n_best += 1
                is_right = votes[codes[x]] >= most - SAME
                losses[step - start, place] = 1.0 - 1.0 / n_best if is_right else 1.0
