"""multichase: one number, the time of a dependent access in nanoseconds; with -v its settings and samples before.

Without -v a file is one number alone, so it must be named with --as. Without other options the order stays within 256
KiB before it goes on, which is kind to the TLB.
Source: Google, "multichase", README, 2015 to 2025.
"""

import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.experiment import Label
from tierscope.imports import Imported, importers
from tierscope.imports.values import value, whole
from tierscope.reading import Reading
from tierscope.reference import Match

SETTINGS = {"nr_threads": "threads", "total_memory": "footprint_bytes", "stride": "stride", "tlb_locality": "locality"}


METHOD = (
    "multichase follows a chain of pointers in a random order and prints the time of one dependent access. No interval "
    "is stated. What is not among the settings that it printed is not known."
)


class Multichase:
    """One reading."""

    name: ClassVar[str] = "multichase"
    title: ClassVar[str] = "multichase's number: nanoseconds for one dependent access"

    alike: ClassVar[tuple[Match, ...]] = (
        Match("latency_s", "latency", "latency_s", {}, {"footprint_bytes": "{footprint_bytes}", "probe": "cycle"}),
    )

    def knows(self, text: str) -> bool:
        return "tlb_locality = " in text and "nr_threads = " in text

    def read(self, text: str) -> Imported:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines or not re.fullmatch(r"[0-9.,]+", lines[-1]):
            raise UsageError("its last line is no number: it is cut off")
        if len(lines) > 1 and not self.knows(text):
            raise UsageError("one number, or the settings of -v before it, were expected")
        labels: dict[str, Label] = {}
        for line in lines:
            key, equals, rest = line.partition(" = ")
            if equals and key in SETTINGS:
                labels[SETTINGS[key]] = whole(rest.split()[0], key)
        reading = Reading(test="latency", labels=labels, values={"latency_s": value(lines[-1], "ns")})
        return Imported("multichase", (reading,), method=METHOD)


importers.add(Multichase())
