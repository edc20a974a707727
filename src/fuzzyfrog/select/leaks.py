"""Columns that predict the target better than a measurement could: suspected leaks.

Such columns are often recorded after the fact (a lifeboat, a date of discharge) or computed from
the target (its logarithm, the parts of a sum). A measurement that is merely good is no leak: where
its classes meet, they mix, or few samples lie. A leak is exact where samples are many.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import Answered, Setting, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import ranks
from fuzzyfrog.measure.threads import effective_threads, map_blocks
from fuzzyfrog.result import Alike, Leak
from fuzzyfrog.result.parts import leaks_in_words

Integers = NDArray[np.intp]

FEWEST_SAMPLES = 30  # with fewer, a column may predict the target by chance
FEWEST_RANGES = 2  # of the target, which values stand for
FEWEST_OF_A_CLASS = 5  # of rarer classes, nothing is asked
MOST_ROWS, MOST_CELLS = 2000, 2**22  # of the random sample that is looked at
SAME = 0.998  # R² of ranks, predicted by the two neighbors along a column
ALONE = 0.98  # the same, and the share of each class, for columns that are merely named
BY_NAME = 0.8  # the same, for a column named like ranks of the target, as of each year
BY_GROUPS = 0.95  # share of each class that is told by categories or by gaps
EXACT = 0.99  # share of each class on its side of a threshold
DENSE = 0.48  # a third of the samples near a threshold take a third of the way, without a gap
MOST_TERMS, MOST_COLUMNS = 3, 100  # of a sum or product, and among which it is looked for
EXACTLY = 1e-6  # of the middle half of the target, for sums and products of more terms
CLOSE, MOSTLY = 0.02, 0.9  # of the middle half of the target, and for how many samples
ROUNDING = 1e-10
MORE_DIGITS, MOST_DIGITS = 2, 7  # a column with as many more than the target is computed from it
AS_TELLING = 0.8  # rank correlation with the target, next to the highest of a relation
LINEAR = 1 - 1e-4  # correlation
WORD = re.compile("[a-z]+|[0-9]+")
RANKS = frozenset(["rank", "quartile", "quintile", "decile", "quantile", "percentile"])
FORMS: dict[str, Callable[[Floats], Floats]] = {
    "logarithm": np.log,
    "square root": np.sqrt,
    "square": np.square,
    "reciprocal": np.reciprocal,
}


def suspected_leaks(
    dataset: Dataset, allowed: Masks, alike: Sequence[Alike] = (), n_jobs: int | None = 1
) -> tuple[Leak, ...]:
    """Return the allowed features that predict the target suspiciously well, alone or together.

    Those whose relation is "alone" may well be honest: they are as good as a model can be. Features
    that are alike, also those that are left out as copies, are suspects if one of them is.
    """
    features = np.flatnonzero(allowed)
    if dataset.n_samples < FEWEST_SAMPLES or len(features) < 2:
        return ()
    n_rows = min(dataset.n_samples, MOST_ROWS, max(FEWEST_SAMPLES, MOST_CELLS // len(features)))
    # In random order: that of the table may follow the target, and so would equal values.
    rows = np.random.default_rng(0).permutation(dataset.n_samples)[:n_rows]
    target: Any = dataset.target[rows]

    def like_target(first: int) -> list[Leak]:
        some = features[first : first + MOST_COLUMNS]
        values, categorical = dataset.values[np.ix_(rows, some)], dataset.categorical[some]
        if dataset.classes is None:
            names = [dataset.feature_names[one] for one in some.tolist()]
            is_rank = np.array([_says_rank(name, dataset.target_name) for name in names])
            return [*_like_numbers(values, target, categorical, some, is_rank)]
        return [*_like_classes(values, target, categorical, some)]

    blocks = range(0, len(features), MOST_COLUMNS)
    leaks = [*chain(*map_blocks(like_target, blocks, effective_threads(n_jobs)))]
    if dataset.classes is not None:
        target = _numbers(dataset.classes)[target]
    if len(np.unique(target)) > 2:  # two classes, and those with names, are no numbers
        single = [leak.features[0] for leak in leaks if leak.relation != "alone"]
        rest = features[~dataset.categorical[features] & ~np.isin(features, single)]
        leaks += _computed(dataset.values[np.ix_(rows, rest)], target, rest, dataset.feature_names)
    known = {one for leak in leaks if leak.relation != "alone" for one in leak.to_leave_out}
    for group in alike:
        members = [group.feature, *group.others]
        if leaking := [one for one in members if one in known]:
            how = f"nearly the same as {shown(dataset.feature_names[leaking[0]])}"
            leaks += [Leak((one,), how) for one in members if one not in known]
    return tuple(leaks)


def _numbers(classes: Sequence[Any]) -> Floats:
    """Return classes that are numbers as such, else zeros."""
    try:
        return np.array(classes, np.float64)
    except (TypeError, ValueError):
        return np.zeros(len(classes))


def leak_sentences(leaks: Sequence[Leak], names: Sequence[str]) -> Iterator[Answered]:
    """Yield a warning about leaks, not about features that are merely good."""
    start, features, them = leaks_in_words(leaks, names)
    if features:
        yield Answered(f"{start} leave {them} out with ", Setting("exclude", features), ".")


# Numeric targets


def _says_rank(name: str, target: str) -> bool:
    """Whether a name is that of ranks of the target, as "hf_rank" is for "hf_score" or "hf"."""
    (*stem, last), of = _words(name), _words(target)
    return last in RANKS and bool(stem) and stem in (of, of[:-1])


def _words(name: str) -> list[str]:
    return WORD.findall(name.lower()) or [name]


def _like_numbers(
    values: Floats, target: Floats, categorical: Masks, features: Integers, is_rank: Masks
) -> Iterator[Leak]:
    """Yield the columns along which the ranks of the target are those of their neighbors."""
    ranked = ranks(target)
    for place in range(len(features)):
        column = values[:, place]
        present = ~np.isnan(column)
        x, y, explained = column[present], target[present], 0.0
        if len(x) >= FEWEST_SAMPLES:
            explains = _by_category if categorical[place] else _by_neighbors
            explained = explains(x, ranked[present])
        how = ""
        if explained >= SAME:
            how = _relation(x, y, bool(categorical[place]))
        elif _are_ranges(np.where(present, column, np.inf), target) or (
            explained and _are_ranges(x, y)
        ):
            how = "its values are ranges of the target"
        elif explained >= (BY_NAME if is_rank[place] else ALONE):
            how = "its name is that of ranks of the target" if is_rank[place] else "alone"
        if how:
            yield Leak((int(features[place]),), how)


def _are_ranges(x: Floats, y: Floats) -> bool:
    """Whether two values or more are ranges of y, with no wider steps between than within.

    Groups that merely differ would overlap, or leave a gap.
    """
    order = np.lexsort((x, y))
    steps, along = np.diff(y[order] / 2), x[order]  # halves have a finite difference
    starts = np.flatnonzero(np.append(True, along[1:] != along[:-1]))
    sizes = np.diff(starts, append=len(x))
    if np.count_nonzero(sizes >= FEWEST_OF_A_CLASS) < FEWEST_RANGES:
        return False
    between = steps[starts[1:] - 1]
    if len(np.unique(x)) < len(starts) or not between.all():
        return False
    steps[starts[1:] - 1] = 0.0
    widest = np.maximum.reduceat(np.append(steps, 0.0), starts)
    is_usual = np.minimum(sizes[1:], sizes[:-1]) >= FEWEST_OF_A_CLASS
    if (between > np.maximum(widest[1:], widest[:-1]))[is_usual].any():
        return False
    if len(starts) > 2:
        return True
    lower, upper = np.split(_spread(y[order]), starts[1:])  # of two groups, only tails would meet
    return _share_near(lower, upper, float(lower[-1])) <= DENSE


def _by_neighbors(x: Floats, y: Floats) -> float:
    """Return the R² of predicting y by the two samples next to each one along x."""
    along = y[np.argsort(x, kind="stable")]
    errors = along[1:-1] - (along[:-2] + along[2:]) / 2
    spread = float(along[1:-1].var())
    return 1.0 - float((errors**2).mean()) / spread if spread > 0 else 0.0


def _by_category(x: Floats, y: Floats) -> float:
    """Return the R² of predicting y by the mean of the others of a category."""
    _, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(codes, weights=y)
    others = np.maximum(counts - 1, 1)[codes]
    predicted = np.where(counts[codes] > 1, (means[codes] - y) / others, y.mean())
    return 1.0 - float(((y - predicted) ** 2).mean() / y.var()) if y.var() > 0 else 0.0


def _relation(x: Floats, y: Floats, is_categorical: bool) -> str:
    """Return what a column is of the target: the simplest function that fits."""
    if is_categorical:
        return "each of its categories has one target"
    with np.errstate(all="ignore"):
        if nearly := _linear(x, y):
            return f"it is{nearly}the target in other units"
        for name, function in FORMS.items():
            if nearly := _linear(x, function(y)):
                return f"it is{nearly}the {name} of the target"
            if nearly := _linear(function(x), y):
                return f"the target is{nearly}its {name}"
    along = np.diff(y[np.argsort(x, kind="stable")] / 2)
    is_monotone = max(np.mean(along >= 0), np.mean(along <= 0)) >= MOSTLY
    return f"it is {'a monotone' if is_monotone else 'nearly a'} function of the target"


def _linear(x: Floats, y: Floats) -> str:
    """Return " " if numbers are others in other units, " nearly " if so but for more than rounding.

    It is empty if they are not.
    """
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return ""
    x, y = (one / np.abs(one).max() for one in (x, y))
    if not abs(np.corrcoef(x, y)[0, 1]) > LINEAR:
        return ""
    x, y = x - x.mean(), y - y.mean()
    either = (y - x * (x @ y / (x @ x)), y), (x - y * (x @ y / (y @ y)), x)
    return " " if any(_are_rounding(errors, of) for errors, of in either) else " nearly "


def _are_rounding(errors: Floats, of: Floats) -> bool:
    """Whether most errors are at most the smallest step between numbers, or next to nothing."""
    low, high = np.percentile(of, [25, 75])
    step = max(np.diff(np.unique(of)).min(), EXACTLY * (high - low))
    return bool(np.mean(np.abs(errors) <= step) >= MOSTLY)


class Terms(NamedTuple):
    """Columns whose sum the target is, each times a factor, or the product of whose powers."""

    places: Integers
    factors: Floats
    constant: float  # is added
    is_exact: bool  # but for rounding
    best: float  # R² of the target by the best of them alone


def _computed(
    values: Floats, target: Floats, features: Integers, names: Sequence[str]
) -> Iterator[Leak]:
    """Yield columns of which the target is a sum or difference, or a product or ratio."""
    for in_logs in (False, True):
        left = np.arange(len(features))  # a part of a sum may be one of a product, too
        while (terms := _few_terms(values, target, left, in_logs=in_logs)) is not None:
            places = np.sort(terms.places)
            goes = _to_leave_out(values[:, places], target)
            if not in_logs and (terms.factors == 1).all():
                goes[:] = True  # the parts of a sum are known when it is
            if terms.is_exact or terms.best < ALONE:  # else the others merely add a little
                its, may_stay = (tuple(features[places[some]].tolist()) for some in (..., ~goes))
                called = [names[one] for one in features[terms.places]]
                yield Leak(its, _formula(terms, called, in_logs=in_logs), may_stay)
            left = left[~np.isin(left, places[goes])]  # without these, another may do as well


def _to_leave_out(columns: Floats, target: Floats) -> Masks:
    """Return without which columns a relation is broken, and no other tells nearly as much.

    Columns with more digits than the target were computed from it and the others, which may stay.
    """
    complete = ~np.isnan(columns).any(axis=1)
    X, y = columns[complete].T, target[complete]
    rates = np.array([_n_digits(x) for x in X]) >= _n_digits(y) + MORE_DIGITS
    if not rates.any():
        rates[:] = True
    telling = np.array([abs(np.corrcoef(ranks(x), ranks(y))[0, 1]) for x in X]) * rates
    return np.asarray(telling >= AS_TELLING * telling.max(), np.bool_)


def _n_digits(x: Floats) -> float:
    """Return how many digits numbers have that are not zeros at an end, as a median."""
    texts = (f"{abs(one):.{MOST_DIGITS - 1}e}".split("e")[0] for one in x[:FEWEST_SAMPLES].tolist())
    return float(np.median([len(text.replace(".", "").rstrip("0")) for text in texts]))


def _few_terms(values: Floats, target: Floats, among: Integers, *, in_logs: bool) -> Terms | None:
    """Return columns that reproduce the target linearly, more than three exactly."""
    values, of = values[:, among], target
    with np.errstate(all="ignore"):
        if in_logs:
            values, target = np.log(values), np.log(target)
        is_gap = ~np.isfinite(values)
        is_gap[~np.isfinite(target)] = True
    fewest = max(FEWEST_SAMPLES, len(target) / 2)
    by_gaps = np.argsort(is_gap.sum(axis=0), kind="stable")
    n_complete = (~np.logical_or.accumulate(is_gap[:, by_gaps], axis=1)).sum(axis=0)
    columns = by_gaps[n_complete >= fewest]
    if len(columns) < 2:
        return None
    rows = ~is_gap[:, columns].any(axis=1)
    y, X = target[rows], values[np.ix_(rows, columns)]
    size = np.abs(X).max(axis=0, initial=0.0)
    X = X / np.where(size > 0, size, 1.0)  # squares of large values would be infinite
    scale = X.std(axis=0)
    varies = scale > ROUNDING
    X, columns, scale = X[:, varies], columns[varies], (size * scale)[varies]
    low, high = np.percentile(y, [25, 75])
    if len(columns) < 2 or not low < high:
        return None
    y = (y - low) / (high - low)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    likely = np.argsort(-np.abs(z.T @ (y - y.mean())), kind="stable")
    likely = np.sort(likely[: min(MOST_COLUMNS, len(y) // 4)])
    A = np.column_stack([z[:, likely], np.ones(len(z))])
    half = np.arange(len(y)) % 2 == 0  # the factors are those of one half, tried on the other
    kept = list(range(len(likely)))
    best: tuple[list[int], Floats] | None = None
    exact = best
    while kept:
        some = A[:, [*kept, -1]]
        inverse = np.linalg.pinv(some[half].T @ some[half], rcond=ROUNDING, hermitian=True)
        weights = inverse @ (some[half].T @ y[half])
        errors = np.abs(some[~half] @ weights - y[~half])
        if np.mean(errors <= CLOSE) < MOSTLY:
            break
        best = list(kept), weights[:-1]
        if np.mean(errors <= EXACTLY) >= MOSTLY:
            exact = best
        # Of columns that say the same, each may go: next to nothing is added for an inverse.
        loose = np.linalg.inv(some[half].T @ some[half] + ROUNDING * len(y) * np.eye(len(kept) + 1))
        worth = weights[:-1] ** 2 / np.maximum(np.diag(loose)[:-1], ROUNDING)
        kept.pop(int(np.argmin(worth)))
    if best is not None and len(best[0]) > MOST_TERMS:
        best = exact
    if best is None or len(best[0]) < 2:
        return None
    chosen, of = likely[best[0]], of[rows]
    factors = best[1] * (high - low) / scale[chosen]
    if np.allclose(np.abs(factors), 1, atol=CLOSE):
        factors = np.sign(factors)
    total, alone = values[np.ix_(rows, columns[chosen])] @ factors, z[:, chosen].T @ (y - y.mean())
    for constant in (0.0, float(np.median(target[rows] - total))):
        with np.errstate(over="ignore"):
            computed = np.exp(total + constant) if in_logs else total + constant
        is_exact = _are_rounding(computed - of, of)
        if is_exact:
            break
    if not is_exact and abs(constant) <= CLOSE * (high - low):
        constant = 0.0
    best_alone = float(((alone / len(y)) ** 2).max() / y.var())
    return Terms(among[columns[chosen]], factors, constant, is_exact, best_alone)


def _formula(terms: Terms, names: Sequence[str], *, in_logs: bool) -> str:
    """Return how the target is computed from columns with these names."""
    nearly = "" if terms.is_exact else "nearly "
    if (np.abs(terms.factors) != 1).any() or len(names) > MOST_TERMS:
        kind = "product of powers" if in_logs else "weighted sum"
        if (terms.factors == 1).all():
            kind = "product" if in_logs else "sum"
        return f"a {kind} of them is {nearly}the target"
    plus, minus = (" * ", " / ") if in_logs else (" + ", " - ")
    constant = np.exp(terms.constant) if in_logs else terms.constant
    signed = [*zip(terms.factors, map(shown, names), strict=True)]
    first = [name for factor, name in signed if factor > 0]
    if terms.constant or not first:
        first.insert(0, f"{constant:.3g}")
    text = minus.join([plus.join(first), *(name for factor, name in signed if factor < 0)])
    return f"{text} is {nearly}the target"


# Classes


def _like_classes(
    values: Floats, target: Integers, categorical: Masks, features: Integers
) -> Iterator[Leak]:
    """Yield the columns whose categories, gaps or intervals are the classes."""
    counts = np.bincount(target)
    usual = counts[target] >= FEWEST_OF_A_CLASS
    values, target = values[usual], np.unique(target[usual], return_inverse=True)[1]
    counts = np.bincount(target)
    if len(counts) < 2 or usual.mean() < MOSTLY:
        return
    for place in np.flatnonzero(_worth_a_look(values, target)).tolist():
        how = _class_relation(values[:, place], target, bool(categorical[place]))
        if how:
            yield Leak((int(features[place]),), how)


def _worth_a_look(values: Floats, target: Integers) -> Masks:
    """Return which columns could be told to be leaks; looking at thousands is slow.

    Along a column that is right on all but some samples, the class changes at most twice for each
    of these, and once between two intervals or two values that repeat.
    """
    counts = np.bincount(target)
    order = np.argsort(values, axis=0, kind="stable")
    along = np.take_along_axis(values, order, 0)
    n_values = 1 + np.count_nonzero(along[1:] > along[:-1], axis=0)
    n_values += np.isnan(values).any(axis=0)
    n_changes = np.count_nonzero(np.diff(target[order], axis=0), axis=0)
    n_wrong = int(np.ceil((1 - BY_GROUPS) * counts).sum())
    n_parts = np.where(2 * n_values <= len(target), np.maximum(n_values, len(counts)), len(counts))
    return np.asarray(n_changes <= n_parts - 1 + 2 * n_wrong, np.bool_)


def _class_relation(column: Floats, target: Integers, is_categorical: bool) -> str:
    """Return how a column predicts the classes, nothing if it does not."""
    is_gap = np.isnan(column)
    if _lowest_recall(_by_others(is_gap.astype(np.intp), target), target) >= BY_GROUPS:
        return "it is missing in one class and present in the others"
    n_classes = len(np.unique(target))
    values, codes = np.unique(np.where(is_gap, np.inf, column), return_inverse=True)
    is_code = is_categorical or len(values) <= n_classes or _alternate(codes, target)
    if is_code and _lowest_recall(_by_others(codes, target), target) >= BY_GROUPS:
        return "its values stand for classes"
    if is_categorical:
        return ""
    x, t = column[~is_gap], target[~is_gap]
    present = np.unique(t)
    if 2 * len(x) < len(column) or len(present) < n_classes:
        return ""
    x = _spread(x)
    by_median = sorted(present.tolist(), key=lambda label: float(np.median(x[t == label])))
    cuts = [_cut(np.sort(x[t == a]), np.sort(x[t == b])) for a, b in pairwise(by_median)]
    assigned = np.array(by_median)[np.searchsorted(np.maximum.accumulate(cuts), x, "left")]
    recall = _lowest_recall(assigned == t, t)
    if recall < ALONE:
        return ""
    if recall >= EXACT and all(
        _share_near(x[t == a], x[t == b], cut) <= DENSE
        for (a, b), cut in zip(pairwise(by_median), cuts, strict=True)
    ):
        return "the classes are ranges of its values, without a gap between them"
    return "alone"


def _alternate(codes: Integers, target: Integers) -> bool:
    """Whether the values, all of them frequent, have the classes in turns: no quantity would."""
    table = np.zeros((codes.max() + 1, target.max() + 1), np.int64)
    np.add.at(table, (codes, target), 1)
    usual = table.argmax(axis=1)[table.sum(axis=1) >= FEWEST_OF_A_CLASS]
    return len(usual) == len(table) and np.count_nonzero(np.diff(usual)) >= table.shape[1]


def _lowest_recall(is_right: Masks, target: Integers) -> float:
    counts = np.bincount(target)
    present = counts > 0
    return float((np.bincount(target, weights=is_right)[present] / counts[present]).min())


def _by_others(codes: Integers, target: Integers) -> Masks:
    """Return for which samples the others with the same code mostly have the same class."""
    table = np.zeros((codes.max() + 1, target.max() + 1), np.int64)
    np.add.at(table, (codes, target), 1)
    others = table[codes]
    own = np.arange(len(target)), target
    others[own] -= 1
    n_own = others[own].copy()
    others[own] = -1
    return np.asarray((n_own > 0) & (n_own > others.max(axis=1)), np.bool_)


def _spread(x: Floats) -> Floats:
    """Return numbers with equal ones spread evenly up to halfway to the next ones."""
    values, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) < 2:
        return x
    gaps = np.diff(values)
    below, above = np.append(gaps[0], gaps) / 2, np.append(gaps, gaps[-1]) / 2
    order = np.argsort(codes, kind="stable")
    place = np.empty(len(x))
    place[order] = np.arange(len(x)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (place + 0.5) / counts[codes]
    return np.asarray(
        x + np.where(share < 0.5, (2 * share - 1) * below[codes], (2 * share - 1) * above[codes])
    )


def _cut(lower: Floats, upper: Floats) -> float:
    """Return the place between two sorted classes with the fewest on the wrong side."""
    places = np.concatenate([lower, upper])
    wrong = len(lower) - np.searchsorted(lower, places, "right")
    wrong += np.searchsorted(upper, places, "right")
    return float(places[int(np.argmin(wrong))])


def _share_near(lower: Floats, upper: Floats, cut: float) -> float:
    """Return the way that a third of the samples nearest to a cut take, of the way of all.

    These are three tenths of the rarer class, and as many of the other. Without a gap it is 1/3.
    """
    below, above = np.sort(cut - lower[lower <= cut]), np.sort(upper[upper > cut] - cut)
    near = min(len(below), len(above)) // 10
    if near < FEWEST_OF_A_CLASS:
        return 1.0  # a few samples say nothing about a gap
    far = 3 * near
    whole = below[far - 1] + above[far - 1]
    return float((below[near - 1] + above[near - 1]) / whole) if whole > 0 else 1.0
