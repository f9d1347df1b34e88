"""Reads an array as the core writes samples, by one thread at a time.

numpy reads the header of such a file by Python's parser. CPython 3.11 counts the depth of all its threads together, so
that two of them may end with SystemError (issue 106905 of CPython).
"""

import io
import threading
from typing import Any

import numpy as np

_ONE = threading.Lock()


def loaded(content: bytes) -> Any:
    """Return what a file of this content contains. ValueError, EOFError and OSError as numpy.load."""
    with _ONE:
        return np.load(io.BytesIO(content), allow_pickle=False)
