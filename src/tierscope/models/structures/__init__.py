"""What one operation of a data structure touches, step by step, as a function of how many elements it holds.

One file is one operation of one structure, and adds itself in its last line. Steps follow from the structure's code
and the sizes of its objects; nothing is fitted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.models.model import Span
from tierscope.registry import Registry


@dataclass(frozen=True, slots=True)
class Step:
    """Lines that an operation reads in one place of the structure, spread evenly over `places` lines in all.

    `dependent`: its address is known only when the step before is there. `cached`: whether caches can hold it.
    """

    what: str
    lines: float  # expected distinct lines per operation
    places: float  # lines that this step's accesses are drawn from
    dependent: bool = True
    cached: bool = True


@dataclass(frozen=True, slots=True)
class Structure:
    """`steps(elements)`; `valid`: elements for which they were derived."""

    name: str
    summary: str
    source: str
    valid: Span
    steps: Callable[[float], tuple[Step, ...]]
    error_share: float = 0.0  # of predicted times against measured ones, where that is published


structures: Registry[Structure] = Registry("structure", "tierscope.models.structures")
