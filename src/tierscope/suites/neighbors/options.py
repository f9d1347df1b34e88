"""The options of `tierscope run neighbors`: victims, aggressors, and where they run."""

from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans import SuiteOptions
from tierscope.plans.kernels import FENCES
from tierscope.plans.kinds import (
    NUMBERS,
    Help,
    Kind,
    Names,
    Numbers,
    Pages,
    Seconds,
    Share,
    Size,
    Time,
    Visits,
    listed,
    one_of,
    one_size,
    words_of,
)
from tierscope.record.experiment import Target
from tierscope.suites.neighbors import fio as neighbor_fio
from tierscope.units import LINE_BYTES, KiB, word_bytes

FLOW = "flow"
KERNELS = ("chase", "triad")
"""Kernels that may be victims; all other victims are those of the core, and programs."""
SIZES = ("test", "train", "ref")
SLEEP = "sleep"
AGGRESSORS = ("chase", SLEEP, neighbor_fio.NAME)  # in addition to all kernels that visit lines or flush
CHUNK_BYTES = 4 * KiB  # of aggressors that flush, as in the source
COMMAND = "cmd"


def _victims(word: str) -> Names:
    """Return names, which the plan checks, or one command as 'cmd LINE'; UsageError for neither."""
    names = (word,) if is_line(word) else words_of(word)
    _check_victims(names)
    return names


def _check_victims(names: Names) -> None:
    if not names:
        raise UsageError(f"no victim is named; try victim={FLOW}")
    if is_line(names[0]) and not names[0].removeprefix(COMMAND).strip():
        raise UsageError("there is no command line; try victim='cmd ./solve in.txt'")


def is_line(word: str) -> bool:
    """Return whether a victim is a command line of the user."""
    return word == COMMAND or word.startswith(f"{COMMAND} ")


WHO = Kind(_victims, ",".join, _check_victims)
HOW_MANY = replace(NUMBERS, needed="one victim or more is needed")
Chunk = Annotated[
    int,
    Meta(ge=LINE_BYTES, multiple_of=LINE_BYTES),
    one_size(f"whole lines of {LINE_BYTES} bytes are flushed; try aggressor_chunk={word_bytes(CHUNK_BYTES)}"),
]


class NeighborsOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run neighbors`."""

    victim: Annotated[
        Names,
        WHO,
        Help(
            f"`{FLOW}` or another victim that `tierscope catalogue` lists, {listed(KERNELS)}, `{neighbor_fio.NAME}`, "
            "several, `all` of them without programs, or `victim='cmd ./solve in.txt'`, a command"
        ),
    ] = (FLOW,)
    size: Annotated[str, one_of("size", SIZES), Help(f"of a victim with sizes, such as `{FLOW}`: {listed(SIZES)}")] = (
        "test"
    )
    victims: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(min_length=1),
        HOW_MANY,
        Help("numbers of victims that run at the same time, one CPU each"),
    ] = (1,)
    aggressors: Annotated[
        Numbers | None,
        Help(
            "numbers of aggressors, one CPU each; auto: 0, 1, 2, 4, ... and all free CPUs; 0 is always run, "
            "since the others are compared with it"
        ),
    ] = None
    aggressor: Annotated[
        str,
        Help(
            "a kernel on arrays, one that flushes (`flush_clwb`, `flush_clflushopt`, ...), `chase`, "
            "`fio`, or `sleep`: the control that must show no slowdown"
        ),
    ] = "copy"
    aggressor_chunk: Annotated[
        Chunk | None,
        Help(
            "of an aggressor that flushes, bytes stored before their lines are flushed, a multiple of 64; auto: 4 KiB"
        ),
    ] = None
    aggressor_fence: Annotated[
        Annotated[str, one_of("fence", FENCES)] | None,
        Help("of the same: fence after each `chunk`, each `line`, or `never`; auto: chunk"),
    ] = None
    aggressor_target: Annotated[Target, Help("where the aggressors' bytes live")] = Target()
    aggressor_array: Annotated[
        Size | None,
        Help(
            "bytes of each array of each aggressor; auto: the reported last-level cache, from 64 MiB to 512 "
            "MiB; all within half of the free memory"
        ),
    ] = None
    target: Annotated[Target, Help("location of `chase` and `triad`; all victims and aggressors run on its node")] = (
        Target()
    )
    victim_array: Annotated[
        Size | None,
        Help(
            "bytes of each array of `chase` and `triad`; auto: half of the effective last-level cache for "
            "`chase`, as for `stream` for `triad`"
        ),
    ] = None
    pages: Annotated[Pages, Help("page size of all memory: `4k`, `thp`, `2m`, `1g`")] = "thp"
    victim_cpus: Annotated[
        Numbers | None, Help("a CPU for each victim, in this order; auto: those of the target's node, one of each core")
    ] = None
    aggressor_cpus: Annotated[
        Numbers | None, Help("a CPU for each aggressor, in order; auto: the others, the last one first")
    ] = None
    overlap: Annotated[
        str,
        one_of("answer", ("yes", "no")),
        Help("`yes`: victims and aggressors may be given the same CPUs, and share them"),
    ] = "no"
    timeout: Annotated[Seconds, Help("most seconds for one run of a command; beyond, it hangs")] = 600.0
    fio_path: Annotated[
        str, Help("of `fio` as victim or aggressor: folder of its file, which does not have a name")
    ] = neighbor_fio.FOLDER
    fio_size: Annotated[neighbor_fio.FileSize, Help("of the same: bytes that each run writes and reads")] = (
        neighbor_fio.FILE_BYTES
    )
    fio_engine: Annotated[neighbor_fio.Engine, Help("of the same: `io_uring`, `libaio`, `psync`")] = "libaio"
    precision: Annotated[Share, Help("half of the slowdown's 95 % interval over the slowdown")] = 0.02
    budget: Annotated[Time, Help("most seconds for each pair of numbers, after the first eight rounds")] = 10.0
    visits: Visits = 3
