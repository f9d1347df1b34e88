"""The options that all documents have, and what their parts need from them."""

from collections.abc import Iterable
from typing import Annotated

from tierscope.errors import UsageError
from tierscope.plans import SuiteOptions
from tierscope.plans.kinds import Help, Seconds, Visits, one_of
from tierscope.plans.usual import PrecisionInPercent
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine

NEEDS_NVM = "try nvm=fsdax:/mnt/pmem/x, nvm=node:1 for a node without CPUs, or a stand-in such as nvm=file:/dev/shm/x"


class DocumentOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of every `tierscope run document-NNN`."""

    dram: Annotated[Target, Help("DRAM of the document")] = Target()
    as_printed: Annotated[
        str,
        one_of("answer", ("yes", "no")),
        Help(
            "`yes`: thread counts, sizes and repeats of the document, where the machine allows them; `no`: those that "
            "suit this machine"
        ),
    ] = "no"
    precision: PrecisionInPercent = 0.02
    limit: Annotated[
        Seconds, Help("seconds after which points get their shortest time only; they may then be inconclusive")
    ] = 600.0
    visits: Visits = 3

    @property
    def printed(self) -> bool:
        """Return whether the user asked for the document's own sizes."""
        return self.as_printed == "yes"

    @property
    def shared(self) -> dict[str, str]:
        """Return the options that all parts accept."""
        return {"precision": f"{self.precision:g}", "visits": f"{self.visits}"}


class TierOptions(DocumentOptions, frozen=True, kw_only=True):
    """Options of documents that have a second tier."""

    nvm: Annotated[
        Target | None,
        Help(
            "the second tier of the document, such as `fsdax:/mnt/pmem/x`, `node:1` or `emu:node=0,latency=300ns`; a "
            "plain `file:` replaces it, and every verdict shows this; auto: what needs it is left out"
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raise UsageError if the second tier is the first one."""
        SuiteOptions.__post_init__(self)
        if self.nvm is not None and self.nvm.word == self.dram.word:
            raise UsageError(f"nvm={self.nvm.word}: this is the target of dram=, too; {NEEDS_NVM}")

    @property
    def pages(self) -> str:
        """Return the page size of both tiers: with 4 KiB pages on one and 2 MiB pages on the other, TLBs would differ,
        too.
        """
        return pages_of(self.nvm or self.dram)

    def lacking(self, what: str) -> str:
        """Return why a part without a second tier is left out."""
        return f"{what} is left out: it needs a second tier, and nvm= names none; {NEEDS_NVM}"


def pages_of(target: Target) -> str:
    """Return the page size to ask for: few file systems provide large pages."""
    return "4k" if target.name in ("file", "pool") else "thp"


def cores(machine: Machine) -> int:
    """Return how many CPUs on cores of their own may be used; all CPUs of a machine with one core."""
    allowed = [cpu for cpu in machine.identity.cpus if cpu.allowed]
    own = {(cpu.package, cpu.core) for cpu in allowed}
    return len(own) if len(own) > 1 else len(allowed)


def fitting(asked: Iterable[int], most: int, what: str) -> tuple[tuple[int, ...], str]:
    """Return the numbers that fit, and why the others are left out; "" if all fit."""
    every = tuple(asked)
    kept = tuple(one for one in every if one <= most)
    if len(kept) == len(every):
        return kept, ""
    rest = [one for one in every if one > most]
    span = str(rest[0]) if len(rest) == 1 else f"{rest[0]} to {rest[-1]}"
    cpus = "1 CPU" if most == 1 else f"{most} CPUs"
    return kept, f"{span} {what} are left out: this process may use {cpus}; try a machine with more"
