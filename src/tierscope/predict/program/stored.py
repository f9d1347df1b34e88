"""A prediction as a run directory: manifest and result without samples, which reports and exports read like any run."""

import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import UNSET

from tierscope import __version__
from tierscope.errors import MachineError, refusal
from tierscope.predict.objects.stored import placements
from tierscope.predict.program.found import Found
from tierscope.predict.program.phases import Phase
from tierscope.predict.program.whole import Followed
from tierscope.record.machine import Machine
from tierscope.record.predicted import SUITE, Predicted, PredictedPhase, PredictedProcess, PredictedTier
from tierscope.record.result import SCHEMA, Manifest, Result, Run, Software, load, save_manifest, save_result
from tierscope.run.owned import abandon, owned
from tierscope.run.place import forsake, taken
from tierscope.run.planned import this_machine
from tierscope.run.start import command_line

METHOD = "one trace of the program, replayed on models of this machine and of each memory"


def predicted(found: Found) -> Predicted:
    """Return what is stored of the answers."""
    own = {
        "tier",
        "ratio",
        "low",
        "high",
        "seconds",
        "latency_share",
        "bandwidth_share",
        "large_pages_share",
        "unknown",
    }
    own |= {"lever", "lever_ratio", "lever_low", "lever_high", "lever_unknown"}
    places = {place.name: place for place in found.places}
    tiers = tuple(
        PredictedTier(
            **{name: value for name, value in one.row().items() if name in own},
            latency_over=places[one.tier].over,
            bandwidth_over=places[one.tier].bandwidth_over,
        )
        for one in found.tiers
    )
    return Predicted(
        command=found.command,
        wall_s=found.native.wall_s.middle,
        noise_share=found.native.noise_share,
        model_over_measured=found.anchor.ratio,
        memory_s=found.memory_s,
        bandwidth_bytes_per_s=found.bandwidth_bytes_per_s,
        tiers=tiers,
        cells=found.cells,
        phases=tuple(_phases(found.phases)),
        followed=tuple(map(_followed, found.followed)) or UNSET,
        placed=placements(found.placed),
        notes=found.every_note,
    )


def _followed(one: Followed) -> PredictedProcess:
    its = one.member
    return PredictedProcess(
        process=its.number, words=its.words, share=its.share, seconds=one.own_s, model_over_measured=one.anchor.ratio
    )


def _phases(found: Sequence[Phase]) -> Iterator[PredictedPhase]:
    for one in found:
        for there in one.there:
            yield PredictedPhase(
                phase=one.name, tier=there.tier, visits=one.visits, share=one.share, seconds=one.seconds,
                ratio=there.ratio, low=there.low, high=there.high, latency_share=there.latency_share,
                bandwidth_share=there.bandwidth_share,
            )  # fmt: skip


def in_memory(found: Found, machine: Machine, now: datetime) -> tuple[Manifest, Result]:
    """Return manifest and result. now: in UTC."""
    started = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    software = Software(tierscope=__version__, core="", compiler="", python=platform.python_version())
    manifest = Manifest(
        schema=SCHEMA, argv=command_line(), suite=SUITE, options={}, plan="", software=software, machine=machine,
        findings=(), started=started,
    )  # fmt: skip
    result = Result(
        schema=SCHEMA, suite=SUITE, options={}, origin="simulated", software=software, machine=machine, findings=(),
        started=started, complete=True, origin_by="models of this machine and of each memory", method=METHOD,
        predicted=predicted(found),
    )  # fmt: skip
    return manifest, result


def unsaved(found: Found) -> Run:
    """Return the answers as a run that is in no directory: its tables and figures need none."""
    return Run(path=Path(), result=in_memory(found, this_machine(None), datetime.now(UTC))[1])


def store(found: Found, out: Path) -> Run:
    """Store the answers in a new or empty directory; MachineError where it cannot be written."""
    parts = in_memory(found, this_machine(None), datetime.now(UTC))
    directory = taken(out)
    with owned(directory):
        try:
            save_manifest(directory, parts[0])
            save_result(directory, parts[1])
        except BaseException as error:
            abandon(directory)
            forsake(directory.parent)
            if isinstance(error, OSError):
                raise MachineError(f"cannot write {refusal(error)}; try --out ANOTHER_PLACE") from error
            raise
    return load(directory)
