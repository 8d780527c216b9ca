"""The array types that every file speaks of. Shapes: N rows, D variables."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Adjacency = NDArray[np.int8]  # (D, D), 1 where the row causes the column
Mask = NDArray[np.bool_]  # (D, D), true where the column may cause the row, unless a function says otherwise
Order = NDArray[np.intp]  # (D,) column positions, causes first
Labels = NDArray[np.intp]  # (N,) the same number for rows that belong together
