"""A first look at a table: how well its features tell the classes apart, and where they fail.

Call it with the name of a data set (`iris`), or with a file and the name of its target column
(`measurements.csv --target kind`).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog import DataError, Dataset, load_dataset, read_table
from fuzzyfrog.data.scaling import positions
from fuzzyfrog.measure import Dependency

MAX_STEPS = 5  # of the greedy path
N_SAMPLES = 10  # ambiguous samples to show
N_DIFFERENCES = 3  # features to show for each of them
PATIENCE = 2.0  # seconds before a person wonders what is happening

Mask = NDArray[np.bool_]
Steps = list[tuple[Mask, float]]


def main() -> int:
    """Print the first look and return the exit code."""
    arguments = _arguments()
    try:
        data = _load(arguments)
        with _announced_if_slow():
            text = "\n".join(_lines(data))
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    _print(text)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Take a first look at a table.")
    parser.add_argument(
        "table",
        nargs="?",
        default="wine",
        help="name of a data set (default: wine), or a csv, tsv, arff or parquet file",
    )
    parser.add_argument("--target", help="target column of a file")
    parser.add_argument(
        "--ignore", nargs="*", default=(), help="columns to leave out, such as an ID"
    )
    parser.add_argument("--separator", help="separator of a text file")
    return parser.parse_args()


def _load(arguments: argparse.Namespace) -> Dataset:
    if not Path(arguments.table).suffix:
        return load_dataset(arguments.table)
    return read_table(
        arguments.table,
        arguments.target,
        ignore=arguments.ignore,
        separator=arguments.separator,
    )


def _lines(data: Dataset) -> Iterator[str]:
    measure = Dependency(data)
    yield from _size(data)
    yield ""
    yield f"All features together: dependency {measure.full:.4f}"
    yield ""
    path = _greedy_path(measure)
    yield from _steps(data, path)
    yield ""
    yield from _ambiguous(measure, _last_in_doubt(measure, path))


def _size(data: Dataset) -> Iterator[str]:
    yield f"{data.name}: {data.n_samples:,} samples, {data.n_features:,} features"
    if data.classes is None:
        yield f"{data.target_name}: numbers from {data.target.min():g} to {data.target.max():g}"
        return
    counts = np.bincount(data.target.astype(np.int64)).tolist()
    shown = [f"{label} ({count:,})" for label, count in zip(data.classes, counts, strict=True)]
    more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
    yield f"{len(shown)} classes: {', '.join(shown[:12])}{more}"


def _greedy_path(measure: Dependency) -> Steps:
    """Return growing subsets and their dependencies, each with the feature that adds most."""
    path: Steps = []
    mask = np.zeros(measure.n_features, np.bool_)
    while len(path) < min(MAX_STEPS, measure.n_features):
        extended = (mask | np.eye(measure.n_features, dtype=np.bool_))[~mask]
        scores = measure.best(extended)
        mask = extended[np.argmax(scores)]
        path.append((mask, float(scores.max())))
        if scores.max() == measure.full:
            break
    return path


def _steps(data: Dataset, path: Steps) -> Iterator[str]:
    yield "The feature that adds most, step by step:"
    before = np.zeros(data.n_features, np.bool_)
    names = []
    for mask, _ in path:
        names.append(data.feature_names[np.argmax(mask & ~before)])
        before = mask
    signs = ["  ", *["+ "] * (len(path) - 1)]
    cells = [
        [sign + name, f"{score:.4f}"]
        for sign, name, (_, score) in zip(signs, names, path, strict=True)
    ]
    yield from _aligned([["  feature", "dependency"], *cells], right={1})


def _last_in_doubt(measure: Dependency, path: Steps) -> Mask:
    """Return the largest subset of the path that leaves enough samples in doubt to show."""
    wanted = min(N_SAMPLES, measure.n_samples)
    in_doubt = [mask for mask, _ in path if np.sum(measure.memberships(mask) < 1.0) >= wanted]
    return in_doubt[-1] if in_doubt else path[0][0]


def _ambiguous(measure: Dependency, mask: Mask) -> Iterator[str]:
    data = measure.dataset
    size = np.sum(mask)
    judges = "judged by the first" + (f" {size} of these" if size > 1 else "")
    membership, enemies = measure.memberships(mask), measure.nearest_enemies(mask)
    worst = [int(i) for i in np.argsort(membership, kind="stable") if membership[i] < 1.0]
    if not worst:
        yield f"No sample is in doubt, {judges}."
        return
    shown = worst[:N_SAMPLES]
    yield f"The {len(shown)} most ambiguous of {len(worst):,} samples in doubt, {judges}:"
    head = ["sample", data.target_name, "membership", "enemy", f"its {data.target_name}"]
    Z, _ = positions(data, "std", "similar")
    cells = [
        [str(i), _label(data, i), f"{membership[i]:.4f}", str(enemies[i]),
         _label(data, enemies[i]), _differences(data, Z[i], Z[enemies[i]])]
        for i in shown
    ]  # fmt: skip
    yield from _aligned([[*head, "they differ most on"], *cells], right={0, 2, 3})
    yield ""
    yield f"Samples are numbered from 0; the enemy is the nearest of another {data.target_name}."
    yield "The number after a feature is the difference in standard deviations."


def _label(data: Dataset, sample: int) -> str:
    value = data.target[sample]
    return f"{value:g}" if data.classes is None else str(data.classes[int(value)])


def _differences(data: Dataset, here: NDArray[np.float64], there: NDArray[np.float64]) -> str:
    """Return the features, of all in the table, on which two samples differ most."""
    apart = np.nan_to_num(np.abs(here - there))  # a missing value is similar to anything
    apart = np.where(data.categorical, np.minimum(apart, 1.0), apart)
    first = [a for a in np.argsort(-apart, kind="stable")[:N_DIFFERENCES] if apart[a] > 0.0]
    shown = [
        f"{data.feature_names[a]}{'' if data.categorical[a] else f' {apart[a]:.1f}'}" for a in first
    ]
    return ", ".join(shown) or "nothing: they are equal"


def _aligned(rows: list[list[str]], right: set[int]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


@contextmanager
def _announced_if_slow() -> Iterator[None]:
    """Explain a long wait on stderr."""
    message = "Compiling the kernels for this and later runs ..."
    timer = Timer(PATIENCE, lambda: print(message, file=sys.stderr))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print(text: str) -> None:
    try:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        print(text, flush=True)
    except BrokenPipeError:  # a reader such as `head` is done
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
