"""A run from its words: makes the directory and its manifest, or takes up one that is there."""

import fcntl
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shlex import quote

import msgspec

from tierscope import __version__, core, storage
from tierscope.catalogue import Catalogue
from tierscope.doctor import examine
from tierscope.errors import MachineError, ResultError, UsageError
from tierscope.experiment import Experiment, Label
from tierscope.machine import Identity, Machine
from tierscope.result import (
    SCHEMA,
    Manifest,
    Result,
    Software,
    Warn,
    load,
    load_manifest,
    save_manifest,
    save_result,
)
from tierscope.run.counters import OFF, Counters
from tierscope.run.doubts import next_step
from tierscope.run.imported import holds_imported, refuse_imported
from tierscope.run.inspect import inspect, simulated
from tierscope.run.known import refuse_unknown
from tierscope.run.measurer import Measurer
from tierscope.run.observer import Observer
from tierscope.run.room import with_rooms, with_rooms_of
from tierscope.run.runner import Runner, imagine
from tierscope.run.second_pass import SecondPass
from tierscope.suites import Plan, suites
from tierscope.suites.emulation import probed
from tierscope.suites.groups import read_groups
from tierscope.suites.simulation import counted, machine_of, refuse_mixtures
from tierscope.system import System

RUNS = Path("runs")  # where runs without --out lie
OWN_GROUPS = "groups"  # the name of a run whose plan is the user's own file


def new_directory(parent: Path, suite: str, hostname: str, now: datetime) -> Path:
    """runs/2026-11-20T2346-quick-host, numbered when two start in one minute."""
    stem = f"{now:%Y-%m-%dT%H%M%S}-{suite}-{hostname}"
    for number in range(100):
        path = parent / (stem if number == 0 else f"{stem}-{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise MachineError(f"cannot create {path}: {error.strerror}; choose another place with --out") from error
        return path
    raise MachineError(f"{parent} holds a hundred runs of this second; choose another place with --out")


def catalogue() -> Catalogue:
    """Kernels, ISAs and targets of the core that runs would use."""
    return core.catalogue()


def this_machine(peak: float | None, simulated_word: str = "") -> Machine:
    """The machine of now, or a simulated one by its word."""
    if simulated_word:
        return simulated(core.topology(simulated_word), peak)
    return inspect(core.topology(), System(), peak)


def machine_for(suite: str, options: dict[str, Label], plan_text: str) -> Machine:
    """The machine that the targets name: a simulated one, or this; with the structures of the build if a suite asks."""
    if suite != OWN_GROUPS:
        word = machine_of(options.values())
    else:
        word = machine_of(group.target.word for e in read_groups(plan_text).experiments for group in e.groups)
    peak = options.get("peak")
    machine = this_machine(float(peak) if isinstance(peak, int | float) else None, word)
    if suite == OWN_GROUPS or not suites[suite].structures:
        return machine
    build = core.catalogue()
    absent = {one.name: one.reason for one in build.structures if not one.available}
    return msgspec.structs.replace(
        machine,
        structures=build.structures_here(),
        structures_lacking=absent,
        structures_unrecorded=build.structures_unrecorded(),
    )


def begin(
    suite: str, options: dict[str, Label], plan_text: str, argv: tuple[str, ...], out: Path | None
) -> tuple[Path, Manifest]:
    """Writes the manifest of a new run; MachineError or UsageError if the plan or the place cannot be had."""
    if not str((out or Path()).absolute()).isprintable():  # DuckDB and JSON cannot name it
        raise UsageError(f"{str(out or Path.cwd())!r} holds bytes that are no letters; choose another place with --out")
    refuse_uncounted(suite, options)
    now = datetime.now(UTC)
    # wrong words and paths are told before anything is written
    machine, experiments = imagined(suite, options, plan_text)
    build = core.catalogue()
    refuse_unknown((group for experiment in experiments for group in experiment.groups), build)
    refuse_mixtures(experiments, build.formless(), many=suite != OWN_GROUPS and suites[suite].many_machines)
    manifest = Manifest(
        schema=SCHEMA,
        argv=argv,
        suite=suite,
        options=options,
        plan=plan_text,
        software=Software(
            tierscope=__version__,
            core=build.version,
            compiler=build.compiler,
            python=f"{platform.python_implementation()} {platform.python_version()}",
        ),
        machine=machine,
        findings=() if machine.simulated else examine(System()),
        started=now.isoformat(timespec="seconds"),
    )
    directory = taken(out) if out else new_directory(RUNS, suite, machine.hostname, now)
    save_manifest(directory, manifest)
    save_result(directory, empty_result(manifest))
    return directory, manifest


def imagined(suite: str, options: dict[str, Label], plan_text: str) -> tuple[Machine, list[Experiment]]:
    """The machine with the rooms of all paths, and the experiments of a plan made with them.

    The paths that options name are looked up before the plan is made: it refuses and limits sizes by their room.
    """
    machine, system = machine_for(suite, options, plan_text), System()
    if suite != OWN_GROUPS:
        machine = with_rooms_of(machine, suites[suite].paths(options), system)
    machine = with_rooms(machine, imagine(plan_for(suite, options, plan_text, machine)()), system)
    return machine, imagine(plan_for(suite, options, plan_text, machine)())


def refuse_uncounted(suite: str, options: dict[str, Label]) -> None:
    """UsageError where counters are asked for, and another program does the work."""
    asked = options.get("counters", OFF)
    if asked != OFF and suite != OWN_GROUPS and suites[suite].program:
        raise UsageError(
            f"counters={asked}: {suites[suite].program} works in processes of its own, which counters of a thread do "
            "not see; leave counters= out"
        )


def taken(out: Path) -> Path:
    """A directory named by the user: made, or empty."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            if holds_imported(out):
                raise UsageError(f"{out} holds an imported run, which cannot be resumed; name a new directory")
            go_on = f"tierscope resume {quote(str(out))}"
            raise UsageError(f"{out} is not empty; name a new directory, or continue it with `{go_on}`")
    except OSError as error:
        raise MachineError(f"cannot create {out}: {error.strerror}; choose another place with --out") from error
    return out


def empty_result(manifest: Manifest) -> Result:
    return Result(
        schema=SCHEMA,
        suite=manifest.suite,
        options=manifest.options,
        origin="real",
        software=manifest.software,
        machine=manifest.machine,
        findings=manifest.findings,
        started=manifest.started,
        complete=False,
        warnings=tuple(_left_out(manifest)),
    )


def _left_out(manifest: Manifest) -> Iterator[Warn]:
    if manifest.suite != OWN_GROUPS:
        suite = suites[manifest.suite]
        for words in suite.left_out(manifest.machine, suite.read_again(manifest.options)):
            message, step = next_step(words, "allow this process more CPUs (doctor: cpus)")
            yield Warn(code="left_out", message=message, next_step=step)


def plan_of(manifest: Manifest) -> Callable[[], Plan]:
    return plan_for(manifest.suite, manifest.options, manifest.plan, manifest.machine)


def plan_for(suite: str, options: dict[str, Label], plan_text: str, machine: Machine) -> Callable[[], Plan]:
    """The generator of a run's experiments, made anew at each call."""
    if suite == OWN_GROUPS:
        own = partial(read_groups(plan_text).plan, machine)
    else:
        own = partial(suites[suite].plan, machine, suites[suite].read_again(options))
    return partial(probed, partial(counted, own), machine)


def execute(directory: Path, manifest: Manifest, observer: Observer | None = None) -> Result:
    """Run, or go on with, the plan of a manifest. Records that are there are kept; a complete run is left as it is."""
    with _locked(directory):
        try:
            result = load(directory).result
        except ResultError:
            if (directory / "result.json").exists():
                raise
            result = empty_result(manifest)
        if result.complete:
            return result
        limit = manifest.options.get("limit")
        runner = Runner(
            directory,
            result,
            _measurer(manifest.suite),
            core.catalogue(),
            observer,
            float(limit) if isinstance(limit, int | float) else float("inf"),
            _counters(manifest),
        )
        return runner.execute(plan_of(manifest))


def _measurer(suite: str) -> Callable[[], Measurer]:
    """Who measures: the core, or the program that the suite names."""
    return storage.Session if suite != OWN_GROUPS and suites[suite].program else core.Session


def _counters(manifest: Manifest) -> Counters:
    """What the option `counters` asks for; nothing in runs of versions that did not know it."""
    asked = str(manifest.options.get("counters") or OFF)
    machine = manifest.machine
    return Counters(asked, machine.identity.family, SecondPass(machine, core.Session))


def resume(directory: Path, observer: Observer | None = None) -> Result:
    """Continue after an interruption; UsageError when the machine is another one now."""
    manifest = load_manifest(directory)
    refuse_imported(directory, manifest, "resumed")
    now, then = machine_for(manifest.suite, manifest.options, manifest.plan), manifest.machine
    if now.identity.digest() != then.identity.digest():
        facts = Identity.__struct_fields__
        names = [name for name in facts if getattr(now.identity, name) != getattr(then.identity, name)]
        raise UsageError(
            f"{directory} was begun on {then.hostname}, this is {now.hostname} and differs in {', '.join(names)}; "
            f"go on there, or measure anew here with `tierscope rerun {quote(str(directory))}`"
        )
    return execute(directory, manifest, observer)


def drop_if_empty(directory: Path) -> bool:
    """Remove a run that has no record, so that the corrected command finds its place free; False where it has one."""
    try:
        if load(directory).result.records:
            return False
    except ResultError:
        return False
    for name in ("manifest.json", "result.json"):
        (directory / name).unlink(missing_ok=True)
    shutil.rmtree(directory / "samples", ignore_errors=True)
    with suppress(OSError):  # it holds files of others, or is a mount point
        directory.rmdir()
    forsake(directory.parent)
    return True


def forsake(directory: Path) -> None:
    """Remove the folder of runs without a name, or one made in it, if nothing is in it; others are the user's own."""
    place = directory if directory == RUNS else directory.parent
    if place == RUNS:
        for folder in dict.fromkeys((directory, place)):
            with suppress(OSError):  # not empty, or gone
                folder.rmdir()


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Two processes that write one run would mix their samples."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"{directory} is being written by another tierscope; wait for it") from error
        yield
    finally:
        os.close(handle)


def command_line() -> tuple[str, ...]:
    """The words as typed; bytes that are no UTF-8 are escaped, since JSON cannot hold them."""
    return ("tierscope", *(os.fsencode(word).decode("utf-8", "backslashreplace") for word in sys.argv[1:]))
