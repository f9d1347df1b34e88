"""Arrays of numpy by the type of their entries; a docstring gives their shape and unit."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
"""Positions in another array."""
