"""The doctor's finding on pairs that it measured: the worst of them decides."""

from collections.abc import Sequence

from tierscope.record.result import Finding
from tierscope.suites.sharing.held import held, known, pairs_of
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.said import core_of, core_words, path_of, path_words, span
from tierscope.suites.sharing.verdict import FULL, OWN, SHARED, UNKNOWN

CORE_EFFECT = "a second thread on the core takes half of it: bandwidth over threads counts one core twice"
MOVED_EFFECT = "numbers of several threads are of two states of the machine: repeat them, and do not pool them"
PATH_EFFECT = (
    "the same guest moved 2.03x and 1.00x the bytes of one thread with two, two hours apart (measured): compare "
    "bandwidths of several threads only within a run"
)


def finding(rows: Sequence[SharingRow]) -> Finding:
    """Return one finding of all pairs; rows: of all moments, in the order of time."""
    pairs = pairs_of(rows)
    hidden = any(held(own, core_of) == SHARED and own[0].listed == OWN for own in pairs)
    moved = any(_moved(own) for own in pairs)
    full = any(held(own, path_of) == FULL for own in pairs)
    unsure = any(_unsure(own) for own in pairs)
    effects = ((hidden, CORE_EFFECT), (moved, MOVED_EFFECT), (full, PATH_EFFECT))
    return Finding(
        name="sharing",
        state="; ".join(sentence for own in pairs for sentence in _state(own)),
        verdict="bad" if hidden else "note" if moved or full else "unknown" if unsure else "good",
        touches=("bandwidth", "latency") if hidden else ("bandwidth",),
        effect="; ".join(text for applies, text in effects if applies),
        remedy="",
    )


def _moved(own: Sequence[SharingRow]) -> bool:
    """Return whether the pair shared a core at some moments, and did not at others."""
    return {SHARED, OWN} <= {row.core for row in own}


def _unsure(own: Sequence[SharingRow]) -> bool:
    """Return whether a class is not known, apart from the path of CPUs that share a core."""
    core = held(own, core_of)
    return core == UNKNOWN or (core != SHARED and held(own, path_of) == UNKNOWN)


def _state(own: Sequence[SharingRow]) -> list[str]:
    """Return what is known of one pair with its ratio, and why the rest is not."""
    said, last = [], own[-1]
    cores, paths = known(own, core_of), known(own, path_of)
    if cores:
        row = ([one for one in cores if one.core == SHARED] or cores)[-1]
        said.append(core_words(cores) + (f" ({span(row.slowdown)} the time together)" if row.slowdown else ""))
    if paths:
        said.append(f"{path_words(paths[-1])}: {span(paths[-1].gain)}")
    if not cores or (not paths and held(own, core_of) != SHARED):
        ratios = (
            f"within the core {span(last.slowdown)} the time, from memory {span(last.gain)} the bytes of one thread"
        )
        why = "; ".join(last.reasons) or ratios
        said.append(f"the rest of CPU {last.a_cpu} and CPU {last.b_cpu} is not known: {why}")
    return said
