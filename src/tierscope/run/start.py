"""A run from its words: makes the directory and its manifest, or takes up one that is there."""

import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shlex import quote

import msgspec

from tierscope import __version__, core, stops
from tierscope.doctor import examine
from tierscope.errors import MachineError, ResultError, UsageError, refusal
from tierscope.metrics.controllers import controllers_of
from tierscope.plans import SuiteOptions, suites
from tierscope.plans.prefetch import PrefetchOptions
from tierscope.plans.simulation import refuse_mixtures
from tierscope.record import warn
from tierscope.record.catalogue import Catalogue
from tierscope.record.machine import Identity, Machine
from tierscope.record.result import (
    SCHEMA,
    Manifest,
    Result,
    Run,
    Software,
    Warn,
    load,
    load_manifest,
    save_manifest,
    save_result,
)
from tierscope.run.commands import Agree, commands_of, typed
from tierscope.run.counters import EVERY, MEMORY, OFF, Counters
from tierscope.run.doubts import next_step
from tierscope.run.hosts import HERE, Host
from tierscope.run.hotplug import changed
from tierscope.run.imported import refuse_imported
from tierscope.run.judged import stored
from tierscope.run.known import refuse_unknown
from tierscope.run.levered import refuse_levered
from tierscope.run.measuring import earlier_for, limit_s, measurer, watch_of, winners_for
from tierscope.run.observer import Observer
from tierscope.run.owned import abandon, is_begun, own, owned, release
from tierscope.run.place import RUNS, forsake, new_directory, taken
from tierscope.run.planned import OWN_GROUPS, imagined, machine_for, options_again, plan_of
from tierscope.run.prefetching import prefetching, refuse_prefetching
from tierscope.run.runner import Runner
from tierscope.run.second_pass import SecondPass
from tierscope.run.walks import Walks

warn.state(
    left_out="a part of the suite that this machine cannot do",
)


def _software(build: Catalogue) -> Software:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return Software(tierscope=__version__, core=build.version, compiler=build.compiler, python=python)


def begin(
    suite: str, options: SuiteOptions, plan_text: str, argv: tuple[str, ...], out: Path | None,
    agree: Agree = typed, host: Host = HERE,
) -> tuple[Path, Manifest]:  # fmt: skip
    """Write the manifest of a new run, once the user agrees to its commands; else MachineError or UsageError."""
    if not str((out or Path()).absolute()).isprintable():  # DuckDB and JSON cannot name it
        raise UsageError(
            f"{str(out or Path.cwd())!r} contains bytes that are not text; choose another place with --out"
        )
    refuse_uncounted(suite, options)
    now = datetime.now(UTC)
    # wrong words and paths are reported before anything is written
    machine, experiments = imagined(suite, options, plan_text, host)
    groups = [group for experiment in experiments for group in experiment.groups]
    build = host.catalogue(pools=core.in_a_pool(groups))
    refuse_unknown(groups, build)
    refuse_mixtures(experiments, build.formless(), many=suite != OWN_GROUPS and suites[suite].many_machines)
    agree(commands_of(experiments))
    refuse_prefetching(asked_prefetch(options, machine))
    refuse_levered(experiments)
    manifest = Manifest(
        schema=SCHEMA,
        argv=argv,
        suite=suite,
        options=options.labels(),
        plan=plan_text,
        software=_software(build),
        machine=machine,
        findings=() if machine.simulated else examine(host.system()),
        started=now.isoformat(timespec="seconds"),
    )
    directory = taken(out) if out else new_directory(RUNS, suite, machine.hostname, now)
    _write(directory, manifest)
    return directory, manifest


def _write(directory: Path, manifest: Manifest) -> None:
    """Write the first files of a run; where that fails, leave none, nor the directory."""
    try:
        with stops.held():
            save_manifest(directory, manifest)
            save_result(directory, empty_result(manifest))
    except BaseException as error:
        abandon(directory)
        forsake(directory.parent)
        if isinstance(error, OSError):
            raise MachineError(f"cannot write {refusal(error)}; choose another place with --out") from error
        raise


def refuse_uncounted(suite: str, options: SuiteOptions) -> None:
    """Raise UsageError where counters are asked for, and another program does the work."""
    asked = options.counters
    if asked != OFF and suite != OWN_GROUPS and suites[suite].program:
        raise UsageError(
            f"counters={asked}: {suites[suite].program} works in processes of its own, which counters of a thread do "
            "not see; leave counters= out"
        )


def asked_prefetch(options: SuiteOptions, machine: Machine) -> str | None:
    """Return how the prefetchers are to be switched; UsageError for a machine that has none or is elsewhere."""
    asked = options.prefetch if isinstance(options, PrefetchOptions) else None
    if asked is not None and (machine.simulated or machine.reached):
        where = "a simulated machine has none" if machine.simulated else "it switches those of this machine only"
        raise UsageError(f"prefetch={asked}: {where}; leave prefetch= out")
    return asked


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
        for words in suite.left_out(manifest.machine, options_again(manifest)):
            message, step = next_step(words, "allow this process more CPUs (doctor: cpus)")
            yield Warn(code="left_out", message=message, next_step=step)


def execute(directory: Path, manifest: Manifest, observer: Observer | None = None, host: Host = HERE) -> Result:
    """Run or continue the plan of a manifest. Records that are there are kept.

    If the run is complete, only its judgement is stored, where a kill left none or it does not match.
    """
    with owned(directory):
        try:
            result = load(directory).result
        except ResultError:
            if (directory / "result.json").exists():
                raise
            result = empty_result(manifest)
        if result.complete:
            return stored(Run(path=directory, result=result))
        earlier = earlier_for(manifest)
        if earlier and not result.records:
            result = msgspec.structs.replace(result, earlier=earlier.shown())
        runner = Runner(
            directory,
            result,
            measurer(manifest.suite, host),
            Walks(host.catalogue(pools=False), winners_for(manifest, host)),
            observer,
            limit_s(manifest),
            _counters(manifest, host),
            watch_of(manifest, host),
        )
        runner.ending = partial(changed, manifest.machine.state, host.memory)
        with prefetching(asked_prefetch(options_again(manifest), manifest.machine)):
            run = Run(path=directory, result=runner.execute(plan_of(manifest)))
        if earlier:
            earlier.add(run)
        return stored(run)


def _counters(manifest: Manifest, host: Host) -> Counters:
    """Return what the option `counters` asks for; nothing in runs of versions that did not know it."""
    asked, machine = options_again(manifest).counters, manifest.machine
    available = tuple(one.name for one in host.catalogue(pools=False).events if one.available)
    family = machine.identity.family
    controllers = controllers_of(host.system(), family) if asked in (MEMORY, EVERY) else None
    return Counters(asked, family, SecondPass(machine, host.session), available, controllers)


def resume(directory: Path, observer: Observer | None = None, host: Host = HERE) -> Result:
    """Continue after an interruption; UsageError when the machine is another one now. See `run.agree`."""
    if is_begun(directory):
        raise ResultError(
            f"{directory} has no run: it is empty, or a run was stopped there before it wrote anything; "
            f"begin with `tierscope run SUITE --out {quote(str(directory))}`"
        )
    manifest = load_manifest(directory)
    refuse_imported(directory, manifest, "resumed")
    now, then = machine_for(manifest.suite, options_again(manifest), manifest.plan, host), manifest.machine
    if (now.reached or then.reached) and now.hostname != then.hostname:
        raise UsageError(
            f"{directory} was begun on {then.hostname}, this is {now.hostname}; continue there, or measure again with "
            f"`tierscope rerun {quote(str(directory))}`"
        )
    if now.identity.digest() != then.identity.digest():
        facts = Identity.__struct_fields__
        names = [name for name in facts if getattr(now.identity, name) != getattr(then.identity, name)]
        raise UsageError(
            f"{directory} was begun on {then.hostname}, this is {now.hostname} and differs in {', '.join(names)}; "
            f"continue there, or measure again here with `tierscope rerun {quote(str(directory))}`"
        )
    return execute(directory, manifest, observer, host)


def drop_if_empty(directory: Path) -> bool:
    """Remove a run that has no record, so that the corrected command finds its place free; False where it has one.

    A run that another process writes has a record, or soon will.
    """
    try:
        own(directory)
        if load(directory).result.records:
            return False
        abandon(directory)
    except (ResultError, UsageError, OSError):
        return False
    finally:
        release(directory)
    forsake(directory.parent)
    return True


def command_line() -> tuple[str, ...]:
    """Return the arguments as typed; bytes that are not UTF-8 are escaped, since JSON cannot contain them."""
    return ("tierscope", *(os.fsencode(word).decode("utf-8", "backslashreplace") for word in sys.argv[1:]))
