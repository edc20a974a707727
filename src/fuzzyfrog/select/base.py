"""What all selectors have in common: how data comes in, and what scikit-learn is told."""

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dask_tables import dask_columns, is_dask, without_rows
from fuzzyfrog.data.frames import as_frame
from fuzzyfrog.data.wording import listed
from fuzzyfrog.errors import DataError

__all__ = ["TableSelector", "ranks_behind"]


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that takes any table: numbers, labels, missing values, any frame library."""

    categorical_features: object
    target: str
    support_: NDArray[np.bool_]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _read(self, X: object, y: object) -> Dataset:
        """Give the checked data, and note its number of features and their names."""
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
        """Give the selected features of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features), or Dataset
            The samples.

        Returns
        -------
        array or frame of shape (n_samples, n_selected)
            An array, or what was chosen with ``set_output``. A frame that stays with its library
            keeps the types of its columns; what Dask is to compute stays to be computed.
        """
        support = self.get_support()
        if isinstance(X, Dataset):
            return self._of_dataset(X)[:, support]
        if is_dask(X):
            validate_data(self, X=without_rows(X), reset=False, skip_check_array=True)
            return dask_columns(X, np.flatnonzero(support))
        if self._output() == "polars" and nw.dependencies.is_polars_dataframe(X):
            # scikit-learn would go through an array of objects here, but does this for pandas.
            validate_data(self, X=X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(support).tolist()]
        is_frame = nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)
        if is_frame and self._output() == "default":
            # Before the columns are chosen, one of labels makes an array of objects of all.
            frame = as_frame(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            part = frame[:, np.flatnonzero(support).tolist()].to_native()
            allow_nan = self.__sklearn_tags__().input_tags.allow_nan
            return check_array(
                part, dtype=None, ensure_all_finite=not allow_nan, force_writeable=True
            )
        return super().transform(X)

    def _of_dataset(self, dataset: Dataset) -> NDArray[np.float64]:
        """Give the values of a Dataset that has the features of the fitted one."""
        fitted = list(getattr(self, "feature_names_in_", dataset.feature_names))
        if list(dataset.feature_names) != fitted:
            raise DataError(
                f"X must have the {self.n_features_in_} features of the fit in their order, got "
                f"{listed(dataset.feature_names)}. Read the table as for the fit."
            )
        return dataset.values

    def _output(self) -> str:
        """Give what `transform` is to return; scikit-learn has no public name for it."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def ranks_behind(support: NDArray[np.bool_], importance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give rank 1 to the selected features and the next ones to the others, by importance."""
    ranks = np.ones(len(support), np.int64)
    _, places = np.unique(-importance[~support], return_inverse=True)
    ranks[~support] = 2 + places
    return ranks
