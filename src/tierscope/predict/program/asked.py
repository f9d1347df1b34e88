"""A program predicted: measured here, traced once, replayed on this machine and on all tiers in parallel."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tierscope.errors import MachineError, UsageError
from tierscope.host.system import System
from tierscope.predict.objects.placed import Again, Ends, Placed, placed
from tierscope.predict.program.answer import SHORTEST_S, Anchor, Answer, anchor, answer, seconds_of, slowdown
from tierscope.predict.program.cold import Doubt, doubt
from tierscope.predict.program.here import Tell, runs_here
from tierscope.predict.program.lever import is_response, judged, opinion, responses
from tierscope.predict.program.machines import (
    LARGE_PAGE,
    SMALL_PAGE,
    Here,
    Place,
    is_model,
    of_model,
    places,
    refuse_unknown,
)
from tierscope.predict.program.native import Native, measured, same_input
from tierscope.predict.program.phases import Cores as PhaseCores
from tierscope.predict.program.phases import Phase, phases
from tierscope.predict.program.printed import printed
from tierscope.predict.program.processes import served
from tierscope.predict.program.progress import watched
from tierscope.predict.program.wrong_paths import explains_better, refused
from tierscope.record.predicted import PredictedCell
from tierscope.record.result import load
from tierscope.simulated.replay import STANDARD_ERROR, Traced, Watch, replayed
from tierscope.simulated.trace import words_of
from tierscope.simulated.tracer import for_many, runnable, traced_words
from tierscope.suites.response.found import Found as Response
from tierscope.units import parse_seconds, show_seconds

ALWAYS = "sys/kernel/mm/transparent_hugepage/enabled"
LIMIT_S = 60.0  # of one run here
IDLE = ",queueing=false"
TAIL = 0.04  # of all instructions: more than most gaps have
TRACED_TIMES = 20  # factor by which the tracer and all replays may exceed the --limit of the program


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a prediction. `on`: tiers. `limit_s`: of one run here.

    here: runs of this machine, or a simulated machine that stands for it.

    objects: whether to place the objects of the program. fast: sizes in bytes of the memory here, each with a best set.

    phases: parts of the time if the program has no markers; 0: no phases without markers. contours: whether to replay
    the grid of latencies and bandwidths, too.
    """

    command: Sequence[str]
    on: tuple[str, ...]
    here: tuple[str, ...]
    limit_s: float
    objects: bool = False
    fast: tuple[int, ...] = ()
    phases: int = 0
    contours: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The speed of a program here, and on each tier."""

    command: tuple[str, ...]
    anchor: Anchor
    tiers: tuple[Answer, ...]
    notes: tuple[str, ...]
    cells: tuple[PredictedCell, ...] = ()
    places: tuple[Place, ...] = ()  # of the tiers
    memory_s: float | None = None  # latency and bandwidth of the memory here
    bandwidth_bytes_per_s: float | None = None
    phases: tuple[Phase, ...] = ()
    placed: tuple[Placed, ...] = ()  # by tier, where it was asked for

    def document(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        native, own = self.anchor.native, self.anchor.cores[0]
        return {
            "command": list(self.command),
            "measured": {
                "wall_s": native.wall_s.middle, "wall_low_s": native.wall_s.low, "wall_high_s": native.wall_s.high,
                "user_s": native.user_s.middle, "user_low_s": native.user_s.low, "user_high_s": native.user_s.high,
                "system_s": native.system_s, "runs": native.runs, "noise_share": native.noise_share,
            },
            "model_s": self.anchor.model_s,
            "model_over_measured": self.anchor.ratio,
            "instructions": own.instructions + own.untraced_instructions,
            "traced_instructions": own.instructions,
            "units": own.units,
            "threads": own.threads,
            "unknown": self.anchor.unknown,
            "tiers": [one.row() for one in self.tiers],
            "phases": [one.row() for one in self.phases],
            "objects": [one.document() for one in self.placed],
            "notes": list(self.notes),
        }  # fmt: skip


def parsed_limit(text: str) -> float:
    """Return the seconds of --limit; UsageError unless it is a time above 0."""
    try:
        limit = parse_seconds(text)
    except UsageError:
        limit = 0.0
    if limit <= 0:
        raise UsageError(f"--limit {text}: expected a time above 0; try --limit 60s")
    return limit


def predicted(asked: Asked, tell: Tell) -> Found:
    """Measure, trace and answer; `tell` gets a line before each of these that takes long.

    UsageError for a program that cannot be served, and for a word that names no tier; MachineError without the tracer.
    """
    command = runnable(asked.command)
    traced_words(command, STANDARD_ERROR)  # refused before anything is measured
    with tempfile.TemporaryDirectory(prefix="tierscope-") as name:
        here, levers = _here(asked, Path(name), tell)
        tell(f"{command[0]} runs here, several times")
        native = measured(command, asked.limit_s)
        if native.user_s.middle < SHORTEST_S:
            tell(f"{command[0]} takes {show_seconds(native.user_s.middle)} of CPU time, too little to predict "
                 "its time; stop here and give it more work, or wait for what the model alone shows")  # fmt: skip
        tell(f"{command[0]} runs in the tracer")
        wanted = asked.objects or bool(asked.fast)
        user_s, limit_s = native.user_s.middle, asked.limit_s * TRACED_TIMES

        def replays(words: Sequence[str]) -> tuple[dict[str, Traced], str]:
            watch = watched(command[0], native, tell)
            return replay_words(command, words, limit_s, user_s=user_s, objects=wanted, watch=watch)

        found, said = replays(list(dict.fromkeys([*_words(here), *_words(here.read_otherwise())])))
        here, anchored = _anchored(here, native, found, said)
        answers = _found(asked.command, here, anchored, found, levers)
        answers = replace(answers, phases=_phases(here, answers.anchor, found, asked.phases))
        if not wanted:
            return answers
        tell(f"{command[0]} runs in the tracer again, with its objects in two memories")
        sets = [Ends(one.name, here.own.words, tuple(one.words), found) for one in here.tiers]
        again = Again(Path(name), here.memory, lambda words: replays(words)[0])
        return replace(answers, placed=placed(sets, answers.anchor, asked.fast, again))


def _here(asked: Asked, folder: Path, tell: Tell) -> tuple[Here, list[Response]]:
    """Return the machines, and what levers did to the program here."""
    if is_model(asked.here):
        return of_model(asked.here[0], asked.on), []
    refuse_unknown(asked.on)
    named = [load(Path(part)) for word in asked.here for part in word.split(",")]
    runs = runs_here([run for run in named if not is_response(run)], tell)
    digest = runs[0].result.machine.identity.digest()
    levers = responses([run for run in named if is_response(run)], asked.command, digest)
    always = System().choice(f"/{ALWAYS}") == "always"
    page = LARGE_PAGE if always else SMALL_PAGE
    return places(runs, asked.on, folder, page, contours=asked.contours), levers


def _anchored(here: Here, native: Native, found: dict[str, Traced], said: str) -> tuple[Here, Anchor]:
    """Return the anchor, and the machines with the reading of wrong paths that explains the time here better."""
    unsure = doubt(found[here.own.word], here.last_lines)  # the first machine of the trace contains the warming
    both = [_anchor(one, native, found, said, unsure) for one in (here, here.read_otherwise())]
    first, second = (seconds_of(one.cores[0]) for one in both)
    at = 1 if explains_better(second, first, both[0].measured_s[1]) else 0
    return (here, here.read_otherwise())[at], both[at]


def _anchor(here: Here, native: Native, found: dict[str, Traced], said: str, unsure: Doubt) -> Anchor:
    own, ends = _cores(here.own, found), [found[word] for word in here.ends]
    return anchor(native, own, said, ends, found.get(here.instant), unsure, here.own.paths)


def _words(here: Here) -> list[str]:
    """Return each machine once."""
    words = [word for place in (here.own, *here.tiers) for word in place.words]
    words += [place.word + IDLE for place in here.tiers if here.instant]
    words += [place.large for place in here.tiers if place.large]
    words += [*(place.words[0] for place in here.grid), *here.ends]
    return list(dict.fromkeys([*words, *([here.instant] if here.instant else [])]))


def replay_words(
    command: Sequence[str], words: Sequence[str], limit_s: float, *, user_s: float, objects: bool = False,
    watch: Watch | None = None,
) -> tuple[dict[str, Traced], str]:  # fmt: skip
    """Return word -> what that machine makes of the command, which is traced once; and the digest of what it prints.

    user_s: its CPU time here. It determines how many of its instructions are traced. watch: as `replayed`.
    Its standard error is dropped. If the tracer fails, the error has the last line of it.
    """
    said = None
    try:
        with same_input() as given, printed() as output, printed() as said:
            found = replayed(
                words_of(words), command, sampling=for_many(user_s), output=output.descriptor, given=given,
                errors=said.descriptor, limit_s=limit_s, objects=objects, warm_once=True, watch=watch,
            )  # fmt: skip
    except MachineError as error:
        last = f"; it printed last: {said.last_line}" if said and said.last_line else ""
        raise MachineError(f"{error}{last}") from error
    return dict(zip(words, found, strict=True)), output.digest


def _cores(place: Place, found: dict[str, Traced]) -> list[Traced]:
    return [found[word] for word in place.words]


def _found(
    command: Sequence[str], here: Here, here_s: Anchor, found: dict[str, Traced], levers: Sequence[Response]
) -> Found:
    tiers = [
        judged(
            answer(
                place.name, _to(place, here_s), _cores(place, found), found.get(place.word + IDLE),
                found.get(here.instant), found.get(place.large), place.notes,
            ),
            opinion(levers, place),
        )
        for place in here.tiers
    ]  # fmt: skip
    own = here_s.cores[0]
    notes = (*here_s.native.notes, *here.notes, *_other_path(here, here_s), *served(here_s.native, own), *_tail(own))
    return Found(
        tuple(command), here_s, tuple(tiers), notes, tuple(_cells(here, here_s, found)), here.tiers, here.memory_s,
        here.bandwidth_bytes_per_s,
    )  # fmt: skip


def _to(place: Place, here_s: Anchor) -> Anchor:
    """Return the anchor for a tier; its latency is exact where that of the tier is the same one."""
    return replace(here_s, ends=()) if place.as_here else here_s


def _cells(here: Here, here_s: Anchor, found: dict[str, Traced]) -> Iterator[PredictedCell]:
    """Yield the grid; nothing where no prediction rests on the anchor."""
    for place in () if here_s.unknown else here.grid:
        if place.over is not None and place.bandwidth_over is not None:
            ratio = slowdown(here_s, found[place.words[0]])
            yield PredictedCell(latency_over=place.over, bandwidth_over=place.bandwidth_over, ratio=ratio)


def _phases(here: Here, here_s: Anchor, found: dict[str, Traced], count: int) -> tuple[Phase, ...]:
    """Return the phases; none if the program has no markers and none are asked for."""
    if not count and not here_s.cores[0].phases:
        return ()
    tiers = [
        PhaseCores(
            place.name, list(zip(here_s.cores, _cores(place, found), strict=True)), found.get(place.word + IDLE),
            found.get(here.instant), _to(place, here_s).ends,
        )
        for place in here.tiers
    ]  # fmt: skip
    return phases(here_s, tiers, count)


def _other_path(here: Here, here_s: Anchor) -> tuple[str, ...]:
    """Return a note where the time here refuses a reading of wrong paths, and not the other one."""
    ratio = here_s.other_ratio
    if ratio is None or here_s.open_path or here_s.unknown:
        return ()
    return (refused(here.own.others[0], ratio),)


def _tail(own: Traced) -> tuple[str, ...]:
    """Return a note where the end of the program is not sampled; what it does there has the rate of the last unit."""
    share = own.last_gap / (own.instructions + own.untraced_instructions)
    return (f"the last {share:.0%} of its instructions were not traced; take a larger case",) if share > TAIL else ()
