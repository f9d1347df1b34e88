"""Samples that many tests write with the same content, packed once in each process that runs tests.

DuckDB takes 3 ms for each file, and most of a made run's files have the content of an earlier run. Another content is
packed by DuckDB as in the program.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from tierscope import duck

KEPT = 4096  # files of some 2 KB

_real = duck.parquet


def once() -> None:
    """Let this process pack each content once."""
    duck.parquet = _parquet


def _parquet(columns: Mapping[str, Any], select: str = "*") -> bytes:
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    if any(array.dtype.hasobject for array in arrays.values()):
        return _real(columns, select)
    return _packed(tuple((name, one.dtype.str, one.tobytes()) for name, one in arrays.items()), select)


@functools.lru_cache(maxsize=KEPT)
def _packed(columns: tuple[tuple[str, str, bytes], ...], select: str) -> bytes:
    return _real({name: np.frombuffer(content, dtype=kind) for name, kind, content in columns}, select)
