"""From files and frames to a Dataset, with a message for everything that can be wrong."""

from fuzzyfrog.data.bundled import dataset_names, load_dataset
from fuzzyfrog.data.dataset import Dataset, make_dataset
from fuzzyfrog.data.dates import date_parts
from fuzzyfrog.data.read_table import read_table

__all__ = [
    "Dataset",
    "dataset_names",
    "date_parts",
    "load_dataset",
    "make_dataset",
    "read_table",
]
