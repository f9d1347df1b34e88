"""The lines that one operation of a data structure touches, step by step, by its number of elements.

One file is one structure, with its get, insert and remove. Steps follow from the structure's code in core/structures
and from the positions of the fields of its objects; nothing is fitted. Keys are drawn evenly, values have 16 bytes and
a get reads its value; an insert is of a new key, a remove of an existing one, both without rehash.

Lines have 64, 128 or 256 bytes, as the processor has them. Docstrings of structures count lines of 64; `layout` counts
longer ones from the same positions. Objects in a pool begin 16 bytes into a line of 64, behind the header of
libpmemobj's allocator, and have whole lines.
Limits: memory of libpmemobj and malloc is ignored (lanes, logs and bitmaps), and so is a line that two objects of one
operation share by chance.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tierscope.models.model import Span
from tierscope.registry import Registry


@dataclass(frozen=True, slots=True)
class Step:
    """Lines that an operation touches in one place of the structure, spread evenly over `places` lines in all.

    A line that is written counts as one that is read: a store brings it first.

    `dependent`: its address is known only when the step before is there. `cached`: whether caches can contain it.
    `own`: those of its lines that only the requested key has; other operations reach them as part of a chain.
    """

    what: str
    lines: float  # expected distinct lines per operation
    places: float  # lines that this step's accesses are drawn from
    dependent: bool = True
    cached: bool = True
    own: float = 0.0


@dataclass(frozen=True, slots=True)
class Structure:
    """`steps(elements, bytes of a line)`; `valid`: elements for which they were derived."""

    name: str
    summary: str
    source: str
    valid: Span
    steps: Callable[[float, int], tuple[Step, ...]]
    error_share: float = 0.0  # of predicted times against measured ones, where that is published


structures: Registry[Structure] = Registry("structure", "tierscope.models.structures")

MEASURED = Span("elements", 1e3, 1e6)  # where counted lines were compared with the model


def whole(*steps: Step) -> tuple[Step, ...]:
    """Return the steps that touch anything, each in a place that is large enough for it."""
    return tuple(replace(step, places=max(step.places, step.lines)) for step in steps if step.lines > 1e-9)
