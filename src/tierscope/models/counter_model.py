"""Run time on another memory from counters of an existing run, each a curve over the number of operations n.

    T(n) = c(n) / f + (M_r(n) L_r + M_w(n) L_w) / p + n v / B                                        [s]

The cycles c do not wait for memory. M_r, M_w: loads and stores that miss the last-level cache. L_r, L_w: latencies of
the device in s.
Its parallelism is p, its bandwidth B in bytes/s. The clock is f in Hz, and v are the bytes of a value.

A curve's family is chosen by held-out error. Outside the fitted numbers of operations the bounds are wide, and a
warning reports it. Limits: the model ignores caches of another size, misses that overlap more or less than p, a clock
that changes, and writes that leave the caches later than they were counted.

Preset `document 004`: its published curves for map_get on PMDK's hashmap_atomic. There c is the number of instructions,
854.9 n, since the program multiplies cycles / f by instructions per cycle. The program prints 854 and adds no such
term, but its table needs both. Negative curves lose their sign, as in the program. No error is published. The bounds
are the largest error of its own table from 100,000 operations on: 0.086 s measured for 0.069 s.

Source: document 004, a thesis on analytic models of persistent memory, sections 5.3 and 6.1 and its first program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UnknownNameError, UsageError
from tierscope.models import models
from tierscope.models.curve import Curve
from tierscope.models.device import Device
from tierscope.models.families import family
from tierscope.models.model import FitError, Prediction, Span
from tierscope.registry import unknown

COUNTERS = ("cycles", "stall_cycles", "llc_load_misses", "llc_store_misses")


@dataclass(frozen=True, slots=True)
class CounterModel:
    """The curves of one program; a count is the product of its curves (loads times miss ratio, or misses alone)."""

    name: ClassVar[str] = "counter_model"
    checked: ClassVar[bool] = True  # each curve has its held-out error, a preset its published one
    writes: ClassVar[bool] = True
    without_effect: ClassVar[Mapping[str, str]] = {
        "write": "no store is counted that misses the caches; leave it out",
        "bandwidth": "counter_model moves only the bytes of --value; leave it out, or name --value",
        "parallelism": "no load or store is counted that misses the caches; leave it out",
        "line": "counter_model counts misses, whatever their bytes; leave it out",
    }
    working_cycles: Curve | None  # None: no CPU time, as document 004's program prints
    load_misses: tuple[Curve, ...]
    store_misses: tuple[Curve, ...]
    clock_hz: float
    error_share: float = 0.0  # known beyond the curves' own errors

    @classmethod
    def fit(cls, operations: Floats, counters: Mapping[str, Floats], clock_hz: float) -> "CounterModel":
        """Return one curve for each of `COUNTERS`, totals of a run, shape (points,); FitError names what is missing."""
        missing = [name for name in COUNTERS if name not in counters]
        if missing:
            raise FitError(f"counter_model: {', '.join(missing)} missing; it needs {', '.join(COUNTERS)}")
        if not 0 < clock_hz < np.inf:
            raise UsageError(f"counter_model: a clock of {clock_hz:g} Hz is impossible")
        working = np.asarray(counters["cycles"]) - np.asarray(counters["stall_cycles"])
        if (working < 0).any():
            raise FitError(
                "counter_model: more stall cycles than cycles; count both in one run, around the same blocks"
            )
        return cls(
            working_cycles=Curve.fit("working cycles", operations, working),
            load_misses=(Curve.fit("llc_load_misses", operations, counters["llc_load_misses"]),),
            store_misses=(Curve.fit("llc_store_misses", operations, counters["llc_store_misses"]),),
            clock_hz=clock_hz,
        )

    @classmethod
    def preset(cls, name: str) -> "CounterModel":
        """Return a published model; UnknownNameError names the available ones."""
        if name not in PRESETS:
            raise UnknownNameError(unknown("preset of counter_model", name, list(PRESETS)))
        return PRESETS[name]

    @property
    def valid(self) -> Span:
        curves = self._curves()
        return Span("operations", max(c.valid.low for c in curves), min(c.valid.high for c in curves))

    def predict(self, operations: float, device: Device, value_bytes: float = 0.0) -> Prediction:
        """Return the seconds of all operations on the device. UsageError for operations that are not above 0."""
        parts = [
            (device.read_latency_s / device.parallelism, [c.predict(operations) for c in self.load_misses]),
            (device.write_latency_s / device.parallelism, [c.predict(operations) for c in self.store_misses]),
        ]
        if self.working_cycles is not None:
            parts.append((1 / self.clock_hz, [self.working_cycles.predict(operations)]))
        moved = operations * value_bytes / device.bandwidth_bytes_per_s
        value = moved + sum(cost * np.prod([p.value for p in product]) for cost, product in parts)
        low = moved + sum(cost * np.prod([p.low for p in product]) for cost, product in parts)
        high = moved + sum(cost * np.prod([p.high for p in product]) for cost, product in parts)
        wider = 1 + self.error_share * self.valid.distance(operations)
        warnings = tuple(text for _, product in parts for p in product for text in p.warnings)
        return Prediction(float(value), float(low / wider), float(high * wider), "s", warnings)

    def _curves(self) -> list[Curve]:
        return [*self.load_misses, *self.store_misses, *([self.working_cycles] if self.working_cycles else [])]


CLOCK = 2.1e9  # Hz; printed program and formulas
MEASURED = Span("operations", 50_000, 7_000_000)  # section 5.3.1
OWN_ERROR = 0.247  # measured over predicted, less 1, where it is largest: 0.086 s for 0.069 s, 100,000 operations
PRINTED_INSTRUCTIONS = 854.0  # per operation; printed program
TABLE_INSTRUCTIONS = 854.9  # per operation; 854.85 to 854.93 give nine rows of its table


def document_004(instructions: float | None) -> CounterModel:
    """Return the published curves. `instructions` per operation determine the CPU time; None omits it, as the program
    does.
    """

    def curve(what: str, form: str, *numbers: float, most: float = np.inf) -> Curve:
        return Curve(what, family(form), numbers, MEASURED, magnitude=True, most=most)

    return CounterModel(
        working_cycles=None if instructions is None else curve("instructions", "linear", 0.0, instructions),
        load_misses=(
            curve("LLC loads", "linear", -262902, 4.966),
            curve("LLC load miss ratio", "logarithm", -0.242, 0.055, most=1),
        ),
        store_misses=(
            curve("LLC stores", "linear", -7117, 6e-5),
            curve("LLC store miss ratio", "linear", 0.81, 4e-8, most=1),
        ),
        clock_hz=CLOCK,
        error_share=OWN_ERROR,
    )


PRESETS = {"document 004": document_004(TABLE_INSTRUCTIONS)}

models.add(CounterModel)
