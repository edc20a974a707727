"""More than one machine: the same scores, shared out among the workers of a cluster."""

from fuzzyfrog.scale.client import check_cluster
from fuzzyfrog.scale.cluster import ClusterMeasure, on_cluster
from fuzzyfrog.scale.resilience import ClusterError

__all__ = ["ClusterError", "ClusterMeasure", "check_cluster", "on_cluster"]
