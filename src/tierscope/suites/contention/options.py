"""The options of `tierscope run contention`: two targets, and what the groups on them do."""

import re
from dataclasses import replace
from typing import Annotated, Literal

from tierscope.errors import UsageError
from tierscope.plans import SuiteOptions
from tierscope.plans.kinds import (
    ALL,
    Block,
    Help,
    Kind,
    Names,
    Numbers,
    Pages,
    Size,
    Time,
    Visits,
    listed,
    names_of,
    one_of,
    several,
    words_of,
)
from tierscope.plans.usual import Precision
from tierscope.record.experiment import Target
from tierscope.suites.contention.labels import MODES

KERNELS = ("copy", "copy_nt", "memcpy")

Ratios = tuple[tuple[int, int], ...] | Literal["all"]


def _modes(word: str) -> Names:
    """Return keys of MODES in the requested order, each once; 'all' is all of them."""
    presets = {preset: mode for mode, preset in MODES.items()}
    names = MODES if word == ALL else names_of("mode", words_of(word), (*MODES, *presets))
    return tuple(dict.fromkeys(presets.get(name, name) for name in names))


def _splits(word: str) -> Ratios:
    """Return (threads of A, threads of B) of each split; an empty tuple for 'none'."""
    if word in (ALL, "none"):
        return ALL if word == ALL else ()
    found = [re.fullmatch("([0-9]{1,9}):([0-9]{1,9})", one) for one in words_of(word)]
    if not found:
        raise UsageError("this names no split; try splits=all or a list such as 1:1,3:1")
    splits = tuple((int(match[1]), int(match[2])) if match else (0, 0) for match in found)
    if (0, 0) in splits:
        raise UsageError("this is not a split; write threads of A : threads of B, such as 1:1")
    return splits


def _word_of(splits: Ratios) -> str:
    return splits if isinstance(splits, str) else ",".join(f"{a}:{b}" for a, b in splits) or "none"


WAYS = replace(several("mode", MODES), read=_modes)
Splits = Annotated[Ratios, Kind(_splits, _word_of)]


class ContentionOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run contention`."""

    a: Annotated[Target | None, Help("target of A; auto: the first node with memory and CPUs")] = None
    b: Annotated[
        Target | None,
        Help(
            "the other target; auto: another node with memory, one without CPUs first, then the nearest; "
            "if there is none, a file in memory, `/dev/shm/tierscope-b`, replaces it, and every row shows this"
        ),
    ] = None
    modes: Annotated[
        Names,
        WAYS,
        Help(f"source-destination of B: {listed(MODES)}, or by the names {listed(MODES.values())}; or `all`"),
    ] = ("b-b", "b-a", "a-b")
    kernel: Annotated[str, one_of("kernel", KERNELS), Help(listed(KERNELS))] = "copy"
    splits: Annotated[
        Splits,
        Help(
            "threads of A : threads of B, such as `1:1,3:1`; `all`: every split of all CPUs; `none`: each target "
            "alone and no contention. All threads in A and all in B are always measured too"
        ),
    ] = ALL
    threads: Annotated[
        Numbers | None, Help("numbers of threads for each target alone; auto: powers of two, and all CPUs")
    ] = None
    cpus: Annotated[Numbers | None, Help("CPUs to use, A's first; auto: those of a's node, one of each core first")] = (
        None
    )
    pages: Annotated[
        Pages | None,
        Help(
            "page size on both targets: `4k`, `thp`, `2m`, `1g`; auto: `4k` where one is a file, since few "
            "file systems give large pages, else `thp`"
        ),
    ] = None
    array: Annotated[
        Size | None, Help("bytes of each of two arrays, shared out among the threads of a split; auto: as for `stream`")
    ] = None
    precision: Precision = 0.02
    budget: Annotated[
        Time, Help("most seconds timed for one point; a visit of a split is one piece of up to 0.5 s")
    ] = 1.5
    visits: Visits = 3
    block: Annotated[Block, Help("length of a block; `memcpy` is called once per block")] = 0.001
