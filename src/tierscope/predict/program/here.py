"""The known values of this machine: runs of `latency`, `tlb` and `stream` that were named, kept or are made now.

Kept runs are below `tierscope/machine/DIGEST` of the user's cache folder, and others are found in `runs/`. A run of
another machine, a stopped one, or one that is not real is not used, and neither is a staircase that is not that of now
(`moved`). Missing values are measured with few blocks, in about a minute, and kept. The core is probed, too. Its loops
visit TIMES_FETCHED times the last cache that the staircase shows, since a virtual machine may report a cache that it
does not have, and each point fills this memory again. A core that cannot be probed has a wide range.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tierscope import stops
from tierscope.errors import MachineError, ResultError, TierscopeError, UsageError, refusal
from tierscope.files import cache_folder
from tierscope.plans import suites
from tierscope.predict.program.moved import NEAREST, moved
from tierscope.record.machine import Machine
from tierscope.record.result import Run, load
from tierscope.run.owned import abandon, own
from tierscope.run.place import RUNS
from tierscope.run.planned import this_machine
from tierscope.run.start import begin, execute
from tierscope.simulated.measured import measured
from tierscope.stats.median import Interval
from tierscope.stats.summary import WIDE
from tierscope.suites.core.ask import stream
from tierscope.suites.core.parameter import NONE, UNKNOWN
from tierscope.suites.core.spread import PROBE as SPREAD
from tierscope.suites.core.table import Core
from tierscope.suites.core.table_points import CorePoints
from tierscope.suites.core.walks import PARAMETER
from tierscope.suites.latency import fast
from tierscope.suites.latency.levels import latency_levels
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.latency.table import Latency
from tierscope.suites.tlb.experiments import SMALL
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.units import GiB, MiB, show_bytes, word_bytes

SHORT = (
    "latency pages=thp budget=0.1",
    "tlb pages=4k,thp budget=0.1 visits=1",
    "stream kernels=read budget=0.2 visits=1",
    "core probes=width,window,store,load,guess,lines,kind,translation,spread,code",
)
WORDS = {suite: dict(word.split("=") for word in words) for suite, *words in map(str.split, SHORT)}
"""Suite -> options of a short run."""

STAIRCASE = "latency"
TRANSLATION = "tlb"
PROBED = "core"
IN_FLIGHT = {"lines", "flight"}  # probes of `core` that find the lines in flight
LOADS = "load buffer"  # a parameter; versions that do not look for it count registers wrongly
CODE = "core_code"  # the table of the points that show how instructions come
CLEARLY = 2.0  # times the cache that a staircase shows: the run itself decided by fewer points
TIMES_CACHE, LEAST_FAR = 4, 64 * MiB
TIMES_FETCHED, MOST_FETCHED = 16, GiB  # windows of the prefetcher touch a part of their pages
NEW, OLD = ".new", ".old"  # behind the name of a suite: of a run that is being made, and of one that it replaces
Tell = Callable[[str], None]


def runs_here(named: Sequence[Run], tell: Tell) -> list[Run]:
    """Return a run of each suite in WORDS, that of `core` only if it can be probed; those that were named alone, if any
    were.

    UsageError for a named run of another machine; MachineError where this one cannot be measured.
    """
    machine = this_machine(None)
    digest = machine.identity.digest()
    if named:
        if other := next((run for run in named if not _is_of(run, digest)), None):
            raise UsageError(f"{other.path} is not a complete run of this machine, on which the program is measured; "
                             "name runs of this one, or leave --from out")  # fmt: skip
        return list(named)
    stair, same_clock = _staircase(machine, digest, tell)

    def found(suite: str) -> Run | None:
        return _found(suite, digest) if same_clock else None

    others = [suite for suite in WORDS if suite not in (STAIRCASE, PROBED)]
    runs = [stair, *(found(suite) or _made(suite, machine, digest, tell) for suite in others)]
    probed = found(PROBED) or _probed(machine, digest, _core_memory(runs), tell)
    return [*runs, probed] if probed else runs


def _staircase(machine: Machine, digest: str, tell: Tell) -> tuple[Run, bool]:
    """Return the staircase of now, and whether the clock is that of stored runs."""
    run = _found(STAIRCASE, digest)
    if run is None:
        return _made(STAIRCASE, machine, digest, tell), True
    change = moved(run, _now)
    if change is None:
        return run, True
    tell(f"{change}, so that the machine is measured again" if change.place else f"{change}")
    if not change.place:
        return run, True
    return _made(STAIRCASE, machine, digest, tell), change.place != NEAREST


def _now(row: LatencyRow) -> Interval | None:
    """Return the latency of a footprint now; None if it cannot be measured, or the point shows nothing.

    It has no visits in its plan, so that it is not kept as an earlier run of the user.
    """
    size = word_bytes(row.footprint_bytes)
    words = WORDS[STAIRCASE] | {"pages": row.pages, "probe": row.probe, "target": row.target, "visits": "0"}
    words |= {"from": size, "to": size, "element": word_bytes(row.element_bytes)}
    with tempfile.TemporaryDirectory(prefix="tierscope-") as name, suppress(TierscopeError, OSError):
        rows = Latency().rows(_measured(STAIRCASE, words, Path(name) / STAIRCASE))
        return next((one.latency for one in rows if one.order == "global" and _is_sound(one)), None)
    return None


def _is_sound(row: LatencyRow) -> bool:
    """Return whether the width of its interval is all that makes a point inconclusive."""
    return all(reason.startswith(WIDE) for reason in row.reasons)


def _probed(machine: Machine, digest: str, memory: int, tell: Tell) -> Run | None:
    """Return a short run of `core`; None where this machine or its system lets nobody probe it.

    memory: bytes that its loops visit.
    """
    try:
        return _made(PROBED, machine, digest, tell, {"memory": word_bytes(memory)})
    except TierscopeError as error:
        tell(f"the core is not probed, so that bounds are wider: {error}")
        return None


def _core_memory(runs: Sequence[Run]) -> int:
    """Return the bytes that loops of a short run of `core` visit."""
    last = measured(runs).caches[-1].size_bytes
    return min(max(round(TIMES_FETCHED * last / MiB) * MiB, LEAST_FAR), MOST_FETCHED)


def _is_of(run: Run, digest: str) -> bool:
    result = run.result
    return result.complete and result.origin == "real" and result.machine.identity.digest() == digest


def _found(suite: str, digest: str) -> Run | None:
    """Return the latest run of a suite here that serves: one that was kept, or the latest of those in `runs/`."""
    stored = (_loaded(path, suite, digest) for path in sorted(RUNS.glob(f"*-{suite}-*"), reverse=True))
    latest = [next((run for run in stored if run), None)]
    if (kept := _kept(suite, digest)) is not None:
        latest.append(_loaded(kept, suite, digest))
    return max((run for run in latest if run), key=lambda run: run.result.started, default=None)


def _loaded(path: Path, suite: str, digest: str) -> Run | None:
    """Return the run there; None if it is not one of this suite here that serves."""
    with suppress(ResultError):
        run = load(path)
        return run if run.result.suite == suite and _is_of(run, digest) and _serves(run) else None
    return None


def _serves(run: Run) -> bool:
    """Return whether a run shows what a prediction needs: the latency of memory, large pages that are translated alike
    and whole, and of a core all but the patterns that it fetches.

    Versions until 0.2.0 looked for less, visited a core that others may share only once, and took a prefetcher that
    waits for many visits for none.
    """
    if run.result.suite == PROBED:
        code = any(record.experiment.table == CODE for record in run.result.records)
        found = {row.parameter for row in Core().rows(run)}
        probes = str(run.result.options.get("probes", f"flight,{SPREAD}")).split(",")
        again = any(record.experiment.schedule.visits > 1 for record in run.result.records)
        return (
            code
            and found >= {PARAMETER, LOADS}
            and again
            and not _is_hasty(run)
            and SPREAD in probes
            and not IN_FLIGHT.isdisjoint(probes)
        )
    if run.result.suite == TRANSLATION:
        points = [record.experiment for record in run.result.records if record.experiment.table == TRANSLATION]
        labels = [TlbLabels.read(point) for point in points]
        alone = any(point.groups[0].workload.per_block for point in points)
        return alone or all(one.found_page_bytes <= SMALL for one in labels)
    return run.result.suite != STAIRCASE or (_reaches_memory(run) and not _is_slow(run))


def _is_hasty(run: Run) -> bool:
    """Return whether a run of `core` did not find that strides are fetched, and tried no stream along a page."""
    visits = [row for row in Core().rows(run) if row.parameter == "visits that train" and row.level == "up"]
    points = [row.train for row in CorePoints().rows(run)]
    whole = stream(run.result.machine.line_bytes()).train
    return any(row.answer in (NONE, UNKNOWN) for row in visits) and max(points, default=0) < whole


def _is_slow(run: Run) -> bool:
    """Return whether fast passes would show more of the last cache, and the run has none, as until version 0.2.0."""
    rows = Latency().rows(run)
    if any(row.order == "block" for row in rows):
        return False
    reported = run.result.machine.last_level_cache_bytes()
    return any(
        fast.footprints(
            {row.footprint_bytes: row.latency.middle for row in found.rows if row.latency}, reported, CLEARLY
        )
        for found in latency_levels(rows).values()
    )


def _reaches_memory(run: Run) -> bool:
    try:
        return bool(measured([run]).shapes)
    except UsageError:
        return False


def _kept(suite: str, digest: str) -> Path | None:
    root = cache_folder()
    return root / "machine" / digest / suite if root else None


def _far(machine: Machine) -> str:
    """Return a footprint that is mostly served by memory; beyond it, page walks of large pages join in."""
    return word_bytes(max(TIMES_CACHE * max((c.size_bytes for c in machine.identity.caches), default=0), LEAST_FAR))


def _clear(path: Path, suite: str) -> None:
    """Remove a run that was stopped or is of no use; UsageError where another process measures it now."""
    if not path.exists():
        return
    try:
        own(path)
    except UsageError as error:
        raise UsageError(f"another tierscope measures {suite} of this machine now; wait until it ends and try again, "
                         "or name runs of this machine with --from") from error  # fmt: skip
    abandon(path)
    shutil.rmtree(path, ignore_errors=True)  # with files of others


def _made(suite: str, machine: Machine, digest: str, tell: Tell, more: Mapping[str, str] | None = None) -> Run:
    tell(f"{suite} of {machine.hostname} is measured first, and kept for later")
    path = _kept(suite, digest)
    if path is None:
        raise MachineError("there is no folder to keep runs of this machine; set XDG_CACHE_HOME, or measure "
                           f"with `tierscope run {suite}` and name the run with --from")  # fmt: skip
    new = path.with_name(f"{suite}{NEW}")
    _clear(new, suite)
    words = WORDS[suite] | ({"to": _far(machine)} if suite == STAIRCASE else {}) | dict(more or {})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = _measured(suite, words, new)
    except OSError as error:
        raise MachineError(f"{suite} of this machine cannot be measured: {refusal(error)}") from error
    except TierscopeError as error:
        raise type(error)(f"{suite} of this machine is measured first: {error}") from error
    if suite == STAIRCASE and not _reaches_memory(made):
        raise MachineError(_no_memory(made))  # before the other suites take their time
    return _replaced(path, made.path, suite)


def _replaced(path: Path, new: Path, suite: str) -> Run:
    """Return the new run, which takes the place of the kept one; the new one where it is, if that is not possible.

    At each moment one of them is whole. A kill in between leaves the older one aside, and the run is made again.
    """
    old = path.with_name(f"{suite}{OLD}")
    try:
        _clear(old, suite)
        if path.exists():
            path.rename(old)
        new.rename(path)
        _clear(old, suite)
    except (OSError, UsageError):
        return load(new if new.exists() else path)
    return load(path)


def _measured(suite: str, words: dict[str, str], path: Path) -> Run:
    """Return a run that is made now. Errors as those of a run, and OSError."""
    argv = ("tierscope", "run", suite, *(f"{key}={word}" for key, word in words.items()))
    directory, manifest = begin(suite, suites[suite].read(words), "", argv, path)
    with stops.held():  # a native module that is interrupted while it loads aborts the process
        import_module("duckdb")
    execute(directory, manifest)
    return load(directory)


def _no_memory(run: Run) -> str:
    """Return why a run of `latency` that was made now shows no memory, and what to do."""
    rows = Latency().rows(run)
    doubted = [row for row in rows if not row.conclusive]
    told = "latency of this machine was measured, and shows no memory behind the caches"
    if not doubted:
        return f"{told}; measure further, as with `tierscope run latency to=2GiB`, and repeat this command"
    last = max(doubted, key=lambda row: row.footprint_bytes)
    return (
        f"{told}: {len(doubted)} of {len(rows)} points are inconclusive (at {show_bytes(last.footprint_bytes)}: "
        f"{last.reasons[0]}); repeat it on an idle machine, or name runs of this machine with --from"
    )
