"""Levers that are files of the running kernel: a cap on bandwidth, and the clocks of uncore and core.

Their ranges are in the state of the machine, as `host.levers` found them. It writes the files for a take, and restores
them after it.
"""

from tierscope.host.levers import Range, range_of
from tierscope.record.experiment import Setting
from tierscope.record.machine import Machine
from tierscope.suites.response.lever import Place, Slower, levers
from tierscope.suites.response.options import ResponseOptions


class Settings:
    """A lever with a range: its steps divide it evenly, from the usual end down."""

    def __init__(self, name: str, summary: str, *, cycles: bool = False) -> None:
        self.name, self.summary, self.cycles = name, summary, cycles

    def why_not(self, machine: Machine, chosen: ResponseOptions, place: Place) -> str:
        """Return what the system reported of it."""
        del chosen, place
        if machine.reached:
            return "files of another machine are not written; run there"
        found = range_of(machine.state, self.name)
        return found if isinstance(found, str) else ""

    def steps(self, machine: Machine, chosen: ResponseOptions, place: Place) -> tuple[Slower, ...]:
        """Return as many steps as were asked for, or as the range has."""
        del place
        found = range_of(machine.state, self.name)
        if not isinstance(found, Range):
            return ()
        return tuple(_step(found, value) for value in found.down(chosen.steps))


def _step(found: Range, value: int) -> Slower:
    path, text = found.written(value)
    return Slower(found.show(value), settings=(Setting(path=path, text=text),))


levers.add(Settings("resctrl", "a cap on memory bandwidth"))
levers.add(Settings("uncore", "a lower clock of the uncore"))
levers.add(Settings("clock", "a lower clock of the cores: memory is faster, counted in their cycles", cycles=True))
