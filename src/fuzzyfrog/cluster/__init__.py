"""Scores from several machines: the same bits, computed by the workers of a Dask cluster."""

from fuzzyfrog.cluster.client import check_cluster
from fuzzyfrog.cluster.measure import ClusterMeasure, on_cluster
from fuzzyfrog.errors import ClusterError

__all__ = [
    "ClusterError",
    "ClusterMeasure",
    "check_cluster",
    "on_cluster",
]
