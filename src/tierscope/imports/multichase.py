"""multichase: one number, the time of a dependent access in nanoseconds; with -v also its settings and samples.

Without -v a file is one number alone, so it must be named with --as. Without other options the order stays within 256
KiB before it continues, which suits the TLB.
Source: Google, "multichase", README, 2015 to 2025.
"""

import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import value, whole
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading, Value
from tierscope.reference import Match

SAMPLE = re.compile(r" avg=([0-9.]{1,40})$")
SIZE = re.compile(r"\(([0-9.]{1,40}) MiB\)")
SETTINGS = {"nr_threads": "threads", "total_memory": "footprint_bytes", "stride": "stride", "tlb_locality": "locality"}


METHOD = (
    "multichase follows a chain of pointers in a random order and prints the time of one dependent access. No interval "
    "is stated. Settings that it did not print are not known."
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
            raise UsageError("its last line is not a number: it is cut off")
        if len(lines) > 1 and not self.knows(text):
            raise UsageError("one number, or the settings of -v before it, were expected")
        labels: dict[str, Label] = {}
        values = {"latency_s": value(lines[-1], "ns")} | _samples(lines)
        for line in lines:
            key, equals, rest = line.partition(" = ")
            if equals and key in SETTINGS:
                labels[SETTINGS[key]] = whole(rest.split()[0], key)
            if key == "total_memory" and (again := SIZE.search(rest)):
                values["again_footprint_bytes"] = value(again[1], "MiB")
        return Imported("multichase", (Reading(test="latency", labels=labels, values=values),), method=METHOD)


def _samples(lines: list[str]) -> dict[str, Value]:
    """Return the least and the most of the samples that -v prints: the result is the least, or with -a the mean."""
    words = [found[1] for line in lines if (found := SAMPLE.search(line))]
    known = sorted((value(word, "ns") for word in words), key=lambda one: one.value)
    return {"latency_least_s": known[0], "latency_most_s": known[-1]} if known else {}


importers.add(Multichase())
