"""The fuzzy-rough dependency of subsets of features, exact and fast.

The path of a call, from the public names to the loops that Numba compiles::

    dependency, positive_region, lower_approximation, ...     functions.py
        one call, one subset: reads the table, asks a Dependency
      |
    Dependency             scores many subsets of one table     dependency.py
    SampledDependency      the same on a random part            sampled.py
      |   Geometry         the samples in the forms that        geometry.py
      |                    engines read
      |   map_blocks       shares blocks among threads          threads.py
      |
      |-- engines: all find the nearest enemies, to the same bits
      |     ArrayEngine    every pair, by NumPy: small tables,  engines.py
      |                    and until compiling kernels pays
      |     PlainEngine    every pair, as the definition says   engines.py  _kernel_scan.py
      |     ScanEngine     a 16-bit filter drops most pairs     engines.py  _kernel_scan.py
      |     PartEngine     the scan for some of the samples     engines.py  _kernel_scan.py
      |     LineEngine     one feature, by sorting              engines.py
      |     TreeEngine     skips far parts of large tables      tree.py     _kernel_tree.py
      |
      `-- greedy steps: subsets that extend a common one by a feature
            weigh_step     small tables: all of them at once    greedy.py   _kernel_pairs.py
            Witnesses      bounds, by remembered enemies        greedy.py   _kernel_pairs.py

    Requirements           rows for proofs of minimality        requirements.py
    RowSample              a part of the rows to search first   sampled.py

    SoftDependency         the measure that counts friends      soft.py
      `-- its pairs        here or on a cluster                 soft_pairs.py _kernel_soft.py
      `-- small tables     the same by NumPy                    soft_arrays.py
      `-- the table        as the kernels read it               soft_columns.py

The filter compares 64 samples at once, in `_vectors.py`. Kernels are imported on first use, since
Numba is slow to import; `common/jit.py` decides when compiling them pays.

Start reading with `SubsetScores` in `dependency.py`, which picks the engine, and with `plain` in
`_kernel_scan.py`: twenty lines that define what all the others compute. docs/theory.md explains why
the answers are the same.
"""

from fuzzyfrog.measure.dependency import Dependency
from fuzzyfrog.measure.functions import (
    RoughRegions,
    dependency,
    lower_approximation,
    positive_region,
    rough_regions,
    soft_dependency,
    soft_memberships,
    upper_approximation,
)
from fuzzyfrog.measure.sampled import SampledDependency
from fuzzyfrog.measure.soft import SoftDependency

__all__ = [
    "Dependency",
    "RoughRegions",
    "SampledDependency",
    "SoftDependency",
    "dependency",
    "lower_approximation",
    "positive_region",
    "rough_regions",
    "soft_dependency",
    "soft_memberships",
    "upper_approximation",
]
