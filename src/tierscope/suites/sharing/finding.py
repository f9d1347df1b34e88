"""What the doctor says of pairs that it measured: the worst of them decides."""

from collections.abc import Sequence

from tierscope.record.result import Finding
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.said import core_words, path_words, span
from tierscope.suites.sharing.verdict import FULL, OWN, SHARED, UNKNOWN

CORE_EFFECT = "a second thread on the core takes half of it: bandwidth over threads counts one core twice"
PATH_EFFECT = (
    "the same guest moved 2.03x and 1.00x the bytes of one thread with two, two hours apart (measured): compare "
    "bandwidths of several threads only within a run"
)


def finding(rows: Sequence[SharingRow]) -> Finding:
    """Return one finding of all pairs, each measured once."""
    hidden = [row for row in rows if row.core == SHARED and row.listed == OWN]
    full = [row for row in rows if row.path == FULL]
    unsure = [row for row in rows if row.core == UNKNOWN or (row.path == UNKNOWN and row.core != SHARED)]
    verdict = "bad" if hidden else "note" if full else "unknown" if unsure else "good"
    effects = [CORE_EFFECT] * bool(hidden) + [PATH_EFFECT] * bool(full)
    return Finding(
        name="sharing",
        state="; ".join(sentence for row in rows for sentence in _state(row)),
        verdict=verdict,
        touches=("bandwidth", "latency") if hidden else ("bandwidth",),
        effect="; ".join(effects),
        remedy="",
    )


def _state(row: SharingRow) -> list[str]:
    """Of one pair: what is known with its ratio, and why the rest is not."""
    known = []
    if row.core != UNKNOWN:
        known.append(core_words(row) + (f" ({span(row.slowdown)} the time together)" if row.slowdown else ""))
    if row.path != UNKNOWN:
        known.append(f"{path_words(row)}: {span(row.gain)}")
    if row.core == UNKNOWN or (row.path == UNKNOWN and row.core != SHARED):
        ratios = f"within the core {span(row.slowdown)} the time, from memory {span(row.gain)} the bytes of one thread"
        why = "; ".join(row.reasons) or ratios
        known.append(f"the rest of CPU {row.a_cpu} and CPU {row.b_cpu} is not known: {why}")
    return known
