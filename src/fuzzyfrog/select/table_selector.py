"""Selectors for scikit-learn that take any table: frames of any library, categories, gaps."""

import warnings
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.messages import count, listed
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dataset import as_frame, is_dask, without_rows
from fuzzyfrog.errors import DataError


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that takes any table: numbers, categories, missing values, any frame library."""

    categorical_features: object
    target: Literal["auto", "class", "numeric"]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _read(self, X: object, y: object) -> Dataset:
        """Return the checked data, and set the number of features and their names."""
        if getattr(getattr(y, "dtype", None), "kind", None) == "c":
            raise DataError("y must be real, got complex numbers. Complex data not supported.")
        name = getattr(y, "name", None)  # of a series
        dataset = make_dataset(
            X,
            y,
            categorical_features=self.categorical_features,
            target=self.target,
            target_name=name if isinstance(name, str) and name else "class",
        )
        if isinstance(X, Dataset):
            self.n_features_in_ = dataset.n_features
            self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        else:
            validate_data(self, X=without_rows(X), y=y, skip_check_array=True)
        return dataset

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            The samples.

        Returns
        -------
        array or data frame of shape (n_samples, n_selected)
            An array, or the container chosen with ``set_output``. A frame keeps the types of its
            columns if it stays with its library, and a Dask collection stays lazy.
        """
        support = self.get_support()
        if isinstance(X, Dataset):
            return self._values_of(X)[:, support]
        if is_dask(X):
            validate_data(self, X=without_rows(X), reset=False, skip_check_array=True)
            chosen = np.flatnonzero(support).tolist()
            return X.iloc[:, chosen] if hasattr(X, "iloc") else X[:, chosen]
        if self._output() == "polars" and nw.dependencies.is_polars_dataframe(X):
            # scikit-learn does this for pandas; here it would go through an array of objects.
            validate_data(self, X=X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(support).tolist()]
        is_frame = nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)
        if is_frame and self._output() == "default":
            # Choose columns first: a single column of labels makes the whole array one of objects.
            frame = as_frame(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            part = frame[:, np.flatnonzero(support).tolist()]
            _refuse_mixed_dates(part)
            allow_nan = self.__sklearn_tags__().input_tags.allow_nan
            return check_array(
                part.to_native(), dtype=None, ensure_all_finite=not allow_nan, force_writeable=True
            )
        return super().transform(X)

    def _values_of(self, dataset: Dataset) -> NDArray[np.float64]:
        """Return the values of a Dataset that has the features of the fitted one."""
        fitted = list(getattr(self, "feature_names_in_", dataset.feature_names))
        if list(dataset.feature_names) != fitted:
            raise DataError(
                f"X must have the {count(self.n_features_in_, 'feature')} of the fit in their "
                f"order, got {listed(dataset.feature_names)}. Read the table as for the fit."
            )
        return dataset.values

    def _output(self) -> str:
        """Return the container set with `set_output`; scikit-learn has no public name for it."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def _get_support_mask(self) -> Masks:
        check_is_fitted(self)
        return self.support_  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def read_again(selector: Any, X: object, y: object) -> Dataset:
    """Return a table read as for the fit of a selector, which has said what it warns of."""
    with warnings.catch_warnings(action="ignore"):
        return make_dataset(
            X, y, categorical_features=selector.categorical_features, target=selector.target
        )


def _refuse_mixed_dates(frame: nw.DataFrame[Any]) -> None:
    """Refuse dates next to numbers: no array holds both as they are."""
    dates = [name for name, kind in frame.schema.items() if kind in (nw.Datetime, nw.Date)]
    if dates and any(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values()):
        raise DataError(
            f"the selected features must fit into one array, got dates in {listed(dates)} next to "
            "numbers. Call set_output(transform='pandas') or 'polars' to get a frame, or convert "
            "dates to numbers, for example to days since the first."
        )
