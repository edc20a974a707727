"""The arrays that nearly every module takes and returns."""

import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
