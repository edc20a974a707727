"""More than one machine: the same scores, shared out among the workers of a cluster."""

from fuzzyfrog.cluster.client import check_cluster
from fuzzyfrog.cluster.measure import ClusterMeasure, on_cluster
from fuzzyfrog.errors import ClusterError

__all__ = [
    "ClusterError",
    "ClusterMeasure",
    "check_cluster",
    "on_cluster",
]
