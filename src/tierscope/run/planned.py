"""The machine and the plan of a run, from what the user typed or from the manifest of a stored run."""

from collections.abc import Callable
from functools import partial

import msgspec

from tierscope import core
from tierscope.plans import Plan, SuiteOptions, suites
from tierscope.plans.fitted import fitted
from tierscope.plans.options import restored
from tierscope.plans.simulation import NAME, PREFIX, counted, machine_of
from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.record.result import Manifest
from tierscope.run.expected import imagine
from tierscope.run.hosts import HERE, Host
from tierscope.run.inspect import inspect, simulated
from tierscope.run.room import targets_of, with_rooms, with_rooms_of
from tierscope.suites.emulation.experiments import probed
from tierscope.suites.groups.experiments import OwnGroups, read_groups

OWN_GROUPS = "groups"  # the name of a run whose plan is the user's own file


def catalogue(*, pools: bool = True) -> Catalogue:
    """Return kernels, ISAs and targets of the core that runs would use. pools: as `core.catalogue`."""
    return core.catalogue(pools=pools)


def this_machine(peak: float | None, simulated_word: str = "", host: Host = HERE) -> Machine:
    """Return the machine of now, or a simulated one by its word."""
    if simulated_word:
        return simulated(host.topology(simulated_word), peak)
    return msgspec.structs.replace(inspect(host.topology(), host.system(), peak), reached=host.word)


def own_groups(plan_text: str) -> OwnGroups:
    """Return the groups of the user's file, with the tasks of this build's kernels; UsageError for a mistake in it."""
    return read_groups(plan_text, core.catalogue().tasks())


def machine_for(suite: str, options: SuiteOptions, plan_text: str, host: Host = HERE) -> Machine:
    """Return the machine that the targets name: a simulated one, or `host`; with what a suite asks of the build."""
    if suite != OWN_GROUPS:
        word = machine_of(target.word for target in options.named_targets())
    else:
        groups = (group for experiment in own_groups(plan_text).experiments for group in experiment.groups)
        word = machine_of(t.word for group in groups for t in group.targets)
    host.refuse([Target(name=NAME, where=word.removeprefix(PREFIX))] if word else [], {})
    return with_build(suite, this_machine(options.peak, word, host), host)


def with_build(suite: str, machine: Machine, host: Host = HERE) -> Machine:
    """Return the machine with what the suite asks of the build: its kernels, its structures."""
    asks = None if suite == OWN_GROUPS else suites[suite]
    if asks is None or not (asks.structures or asks.kernels or asks.flushes or asks.victims):
        return machine
    build = host.catalogue(pools=asks.structures)
    if asks.kernels:
        machine = msgspec.structs.replace(machine, kernels=build.walks())
    if asks.flushes:
        machine = msgspec.structs.replace(machine, flushes=build.flushes())
    if asks.victims:
        machine = msgspec.structs.replace(machine, victims=build.victims_here())
    if not asks.structures:
        return machine
    absent = {one.name: one.reason for one in build.structures if not one.available}
    return msgspec.structs.replace(
        machine,
        structures=build.structures_here(),
        structures_lacking=absent,
        structures_unrecorded=build.structures_unrecorded(),
    )


def imagined(suite: str, options: SuiteOptions, plan_text: str, host: Host = HERE) -> tuple[Machine, list[Experiment]]:
    """Return the machine with the free space of all paths, and the experiments of a plan made with them.

    The paths that options name are looked up before the plan is made: it refuses and limits sizes by their free space.
    """
    if suite != OWN_GROUPS and suites[suite].program:
        host.refuse_program(suites[suite].program)
    machine, system = machine_for(suite, options, plan_text, host), host.system()
    held = host.catalogue(pools=False).held_in()
    if suite != OWN_GROUPS:
        host.refuse(options.named_targets(), held)
        machine = with_rooms_of(machine, options.named_targets(), held, system)
    experiments = imagine(plan_for(suite, options, plan_text, machine)())
    host.refuse(targets_of(experiments), held)
    machine = with_rooms(machine, experiments, held, system)
    return machine, imagine(plan_for(suite, options, plan_text, machine)())


def options_again(manifest: Manifest) -> SuiteOptions:
    """Return the options of a run; ResultError for a bad value."""
    if manifest.suite == OWN_GROUPS:
        return restored(SuiteOptions, manifest.options)
    found: SuiteOptions = suites[manifest.suite].read_again(manifest.options)
    return found


def plan_of(manifest: Manifest) -> Callable[[], Plan]:
    machine = manifest.machine
    asks = None if manifest.suite == OWN_GROUPS else suites[manifest.suite]
    if asks and asks.kernels and not machine.kernels:  # of a version that kept none
        machine = msgspec.structs.replace(machine, kernels=core.catalogue(pools=False).walks())
    if asks and asks.flushes and not machine.flushes:
        machine = msgspec.structs.replace(machine, flushes=core.catalogue(pools=False).flushes())
    if asks and asks.victims and not machine.victims:
        machine = msgspec.structs.replace(machine, victims=core.catalogue(pools=False).victims_here())
    return plan_for(manifest.suite, options_again(manifest), manifest.plan, machine)


def _as_it_can(suite: str, machine: Machine, options: SuiteOptions) -> Plan:
    """Yield the experiments of a suite, in lines and pages that the machine has."""
    yield from fitted(machine, suites[suite].plan(machine, options))


def plan_for(suite: str, options: SuiteOptions, plan_text: str, machine: Machine) -> Callable[[], Plan]:
    """Return the generator of a run's experiments, a new one at each call."""
    if suite == OWN_GROUPS:
        own = partial(own_groups(plan_text).plan, machine)
    else:
        own = partial(_as_it_can, suite, machine, options)
    return partial(probed, partial(counted, own), machine)
