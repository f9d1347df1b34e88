"""Measured memory roofs of one machine as JSON in base units, for any program that draws rooflines.

Blind to the other roof: Tierscope does not measure floating-point rates. `left_out` names every point that is not a
roof, with the reason.
"""

from collections.abc import Sequence
from typing import Any

from tierscope.printable import json_text
from tierscope.record.result import Run
from tierscope.report.formats import Export, Format, formats
from tierscope.report.roofs import NO_COMPUTE, Roof, roofs
from tierscope.sound import reads


@reads("the roofs")
def document(runs: Sequence[Run]) -> bytes:
    """Return the document; its roofs are sorted by target, threads and kernel."""
    found = roofs(runs)
    known = {
        "machine": {"host": found.machine.hostname, "processor": found.machine.identity.model},
        "measured": found.started,
        "theoretical_peak_bytes_per_s": found.machine.peak_bytes_per_s,
        "theoretical_peak_source": found.machine.peak_source,
        "roofs": [_roof(roof) for roof in found.roofs],
        "left_out": {**found.left_out, "floating-point rate": NO_COMPUTE},
    }
    return json_text(known).encode() + b"\n"


def _roof(roof: Roof) -> dict[str, Any]:
    return {
        "kernel": roof.kernel,
        "threads": roof.threads,
        "target": roof.target,
        "stores": roof.store,
        "footprint_bytes": roof.footprint_bytes,
        "bandwidth_bytes_per_s": roof.bandwidth.middle,
        "bandwidth_low": roof.bandwidth.low,
        "bandwidth_high": roof.bandwidth.high,
    }


formats.add(
    Format(
        "roofline",
        export=Export(
            "Measured memory roofs of one machine with their intervals, as JSON in base units, from `run stream`.",
            document,
            needs="stream",
        ),
    )
)
