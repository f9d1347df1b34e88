"""Run time of a data structure's operations from what each touches: lines, dependent or not, hits in each cache.

    T(n) = n (sum of s: lines_s t_s / q_s) + n v / B                                                  [s]
    t_s = L_mem + sum of k: h_s(C_k) (L_k - L_next), where L_mem / q_s is no less than line / B

The lines_s are the expected lines of step s, and v the bytes of a value. A line has the 64, 128 or 256 bytes of the
device's processor. The number q_s is 1 if the step's address depends on the step before, else the device's parallelism.
The share h_s(C) is that of its accesses found in C lines of an LRU cache. A step whose r lines an operation are drawn
evenly from W has h = 1 - exp(-r x / W), where x solves sum of s: W_s h_s = C: H. Che and others, "Hierarchical Web
Caching Systems: Modeling, Design and Experimental Results", IEEE JSAC, 2002.

A run that starts with empty caches (`fresh`) finds a line only if it has touched it before. Let t count its operations,
and N be their number. Then h is the mean over the run of 1 - exp(-(r / W) min(t, x)):

    h = (y - (1 - e) / a + (N - y) (1 - e)) / N      with a = r / W, y = min(x, N), e = exp(-a y)

A run that uses each of its N keys once (`once`) reaches the line of a key's own entry once as requested, and as part of
a chain by chance. Let r' = r - 1 of its r lines an operation be those by chance. With k = N / W entries in a line, it
has not been touched for u operations with the probability

    (1 - u / N)^k exp(-r' u / W)    of a line by chance, and with k - 1 instead of k of the requested one

and h is the mean over the run of what is left to 1, at u = min(t, x). Without chains each such line is read once from
the memory. Other memory of the program that passes through the caches (`beside_bytes` an operation, never used again)
takes its lines of them: sum of s: W_s h_s + x beside = C.

This is the case if a structure was filled by stores whose lines were written back and removed from the caches, as
`clflushopt` does. `clwb` may do so, too.

The time of instructions (`core_s`) is added to each operation. If it includes hits, give caches without latency.

Nothing is fitted. The bounds are those of overlap: all lines that do not depend on each other at the same time, or one
after the other. If the error of a structure is published, the bounds include it. Limits: the model ignores the TLB,
caches that are not LRU or that other programs use, prefetchers and instructions.

Presets: `NAME get`, `NAME insert` and `NAME remove` of every structure of Tierscope (of `map` only `get`), with our own
layouts. Also `document 004`: 4 1/3 accesses an operation, each to the memory, on its device. Its source is section 5.4
of a thesis on analytic models of persistent memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UsageError
from tierscope.models import models
from tierscope.models.device import Device
from tierscope.models.model import Prediction, Span
from tierscope.models.structures import Step, Structure, structures
from tierscope.units import LINE_BYTES

# of a Gauss-Legendre rule; what is integrated is smooth, and the last node is as good as the end
NODES, WEIGHTS = np.polynomial.legendre.leggauss(256)


@dataclass(frozen=True, slots=True)
class Course:
    """operations: since caches were empty, 0: for ever. once: each key once; other: lines of other memory."""

    operations: float = 0.0
    once: bool = False
    other: float = 0.0


@dataclass(frozen=True, slots=True)
class StructureModel:
    """One operation of one structure."""

    name: ClassVar[str] = "structure_model"
    writes: ClassVar[bool] = False
    without_effect: ClassVar[Mapping[str, str]] = {
        "write": "structure_model knows the lines that are read; leave it out, or try --model counter_model",
        "bandwidth": "no line comes from the memory; leave it out",
        "parallelism": "each of its lines depends on the one before; leave it out",
        "line": "its source counts accesses, not lines; leave it out",
    }
    structure: Structure

    @classmethod
    def preset(cls, name: str) -> "StructureModel":
        """Return the model of a structure by its name; UnknownNameError names those that are here."""
        return cls(structures[name])

    @property
    def checked(self) -> bool:
        """Return whether an error of its times is published."""
        return self.structure.error_share > 0

    @property
    def valid(self) -> Span:
        return self.structure.valid

    def lines(self, elements: float, line_bytes: int = LINE_BYTES) -> float:
        """Return the expected number of distinct lines that one operation touches."""
        self.valid.distance(elements)
        return sum(step.lines for step in self.structure.steps(elements, line_bytes))

    def hits(self, elements: float, device: Device, fresh: float = 0.0) -> Floats:
        """Return the share of each step's accesses found in each cache and in the memory, shape (steps, caches + 1).

        fresh: operations of a run that starts with empty caches; 0: caches that contain what they can.
        """
        self.valid.distance(elements)
        return self._found(self.structure.steps(elements, device.line_bytes), device, Course(fresh))

    @staticmethod
    def _found(steps: tuple[Step, ...], device: Device, course: Course) -> Floats:
        """Return what `hits` does."""
        held = [_held(steps, cache.capacity_bytes / device.line_bytes, course) for cache in device.caches]
        reached = np.stack([np.zeros(len(steps)), *held, np.ones(len(steps))], axis=1)
        return np.diff(np.maximum.accumulate(reached, axis=1), axis=1)

    def _refuse_once(self, steps: tuple[Step, ...], elements: float, course: Course) -> None:
        """Raise UsageError if a run cannot use each key once."""
        if course.operations != elements:
            raise UsageError(
                f"once=True: each of {elements:,.0f} keys once from empty caches is {elements:,.0f} operations with "
                f"fresh=True, not {course.operations:,.0f}; leave elements out, or once"
            )
        if not any(step.own for step in steps):
            raise UsageError(
                f"once=True: {self.structure.name} does not state which lines are those of one key; leave it out, or "
                "try the structure 'hashmap_atomic find'"
            )

    def predict(
        self,
        operations: float,
        device: Device,
        value_bytes: float = 0.0,
        elements: float = 0.0,
        *,
        fresh: bool = False,
        once: bool = False,
        beside_bytes: float = 0.0,
        core_s: float = 0.0,
    ) -> Prediction:
        """Return the seconds of this number of operations on a structure of `elements` (0: as many as operations).

        fresh: whether they start with empty caches. once: whether they use each key once.
        beside_bytes: of other memory that one operation brings into the caches. core_s: of its instructions.
        Raises UsageError for `once` without `fresh`, with other numbers of operations and elements, or of a structure
        that does not state which lines are those of one key.
        """
        elements = elements or operations
        beyond = self.valid.distance(elements)
        latencies = np.array([*(cache.latency_s for cache in device.caches), device.read_latency_s])
        steps = self.structure.steps(elements, device.line_bytes)
        lines = np.array([step.lines for step in steps])
        course = Course(operations * fresh, once, beside_bytes / device.line_bytes)
        if once:
            self._refuse_once(steps, elements, course)
        found, line_s = self._found(steps, device, course), device.line_bytes / device.bandwidth_bytes_per_s
        q = np.where([step.dependent for step in steps], 1.0, device.parallelism)
        behind = np.maximum(device.read_latency_s / q, line_s)  # of a line from the memory, which its bandwidth limits
        alone = max(device.read_latency_s, line_s)
        moved = operations * (value_bytes / device.bandwidth_bytes_per_s + core_s)
        near = found[:, :-1] @ latencies[:-1]
        serial = operations * float(lines @ (near + found[:, -1] * alone)) + moved
        overlapped = operations * float(lines @ (near / q + found[:, -1] * behind)) + moved
        wider = (1 + self.structure.error_share) * beyond
        warnings = self.valid.warnings(elements)
        if not self.structure.error_share:
            warnings += (f"{self.structure.name}: its error is not known; the bounds contain only the overlap",)
        return Prediction(overlapped, overlapped / wider, serial * wider, "s", warnings)


def _held(steps: tuple[Step, ...], capacity: float, course: Course) -> Floats:
    """Return the share of each step's accesses that an LRU cache of `capacity` lines contains, shape (steps,)."""
    from scipy.optimize import brentq

    places = np.array([step.places if step.cached else 0.0 for step in steps])
    rates = np.array([step.lines / step.places for step in steps]) * (places > 0)
    fresh = course.operations
    if (fresh or not course.other) and places.sum() + course.other * fresh <= capacity:
        return _mean(steps, course, fresh) if fresh else (places > 0).astype(np.float64)

    def filled(age: float) -> float:
        left = _untouched(steps, course, np.array([age]))[1][:, 0] if course.once else np.exp(-rates * age)
        return float((places * (1 - left)).sum()) + course.other * age - capacity

    most = 1.0
    while filled(most) < 0 and most < 1e30:
        most *= 2
    age = brentq(filled, 0.0, most)
    return _mean(steps, course, min(age, fresh)) if fresh else np.asarray(-np.expm1(-rates * age))


def _mean(steps: tuple[Step, ...], course: Course, age: float) -> Floats:
    """Return the share of accesses, over a run, to lines touched in the last `age` operations, shape (steps,)."""
    if not course.once:
        rates = np.array([step.lines / step.places if step.cached else 0.0 for step in steps])
        return _since(rates, age, course.operations)
    requested, others = (_over_run(left, age, course) for left in _untouched(steps, course, (NODES + 1) / 2 * age))
    own = np.array([step.own / step.lines for step in steps])
    cached = np.array([step.cached for step in steps])
    return np.asarray((1 - own * requested - (1 - own) * others) * cached)


def _untouched(steps: tuple[Step, ...], course: Course, ages: Floats) -> tuple[Floats, Floats]:
    """Return the chance that a line was not touched for these operations, if each key is used once.

    Shapes (steps, ages): of a line that is the requested key's own, and of any other.
    """
    total = course.operations
    own = np.array([[step.own * total / step.places] for step in steps])
    rates = np.array([[(step.lines - step.own) / step.places] for step in steps])
    never = np.clip(1 - ages / total, 0.0, 1.0)
    chance = np.exp(-rates * ages)
    return never ** np.maximum(own - 1, 0.0) * chance, never**own * chance


def _over_run(left: Floats, age: float, course: Course) -> Floats:
    """Return the mean over a run of what `left` has at the nodes up to `age`, and at its end from there on."""
    rising = left @ WEIGHTS / 2 * age
    return np.asarray((rising + (course.operations - age) * left[:, -1]) / course.operations)


def _since(rates: Floats, age: float, operations: float) -> Floats:
    """Return the share of accesses to lines touched in the last `age` operations of a run of this number.

    rates: touches of one line by one operation, shape (steps,); 0 of what no cache contains.
    """
    touched = -np.expm1(-rates * age)
    rising = np.divide(touched, rates, out=np.full_like(rates, age), where=rates > 0)
    return np.asarray((age - rising + (operations - age) * touched) / operations)


models.add(StructureModel)
