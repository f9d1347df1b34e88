"""The choice of cases for the first tier, if many are alike."""

from collections.abc import Sequence
from typing import Any

import pytest


def first(count: int, cases: Sequence[Any]) -> list[Any]:
    """Return all cases as parameters; only the first `count` are in the first tier, and the others are marked slow."""
    rest = (case if isinstance(case, tuple) else (case,) for case in cases[count:])
    return [*cases[:count], *(pytest.param(*case, marks=pytest.mark.slow) for case in rest)]
