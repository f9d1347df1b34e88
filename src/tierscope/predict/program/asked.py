"""A program predicted: measured here, traced once, replayed on this machine and on all tiers in parallel."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tierscope.errors import TierscopeError, UsageError
from tierscope.host.system import System
from tierscope.predict.objects.placed import Again, Ends, placed
from tierscope.predict.program.anchor import Anchor, Lineup, anchor, seconds_of
from tierscope.predict.program.cold import Doubt, doubt
from tierscope.predict.program.found import Found
from tierscope.predict.program.front_end import explains_better
from tierscope.predict.program.hardly import lines_of
from tierscope.predict.program.here import Tell, runs_here
from tierscope.predict.program.keeps import keep_of
from tierscope.predict.program.lever import is_response, responses
from tierscope.predict.program.machines import LARGE_PAGE, SMALL_PAGE, is_model, of_model, places, refuse_unknown
from tierscope.predict.program.members import Member, household
from tierscope.predict.program.mixture import share_of, with_mixed
from tierscope.predict.program.native import SHORTEST_S, Native, measured
from tierscope.predict.program.part import Part, answered, completed_by, cores_of, refused, words_of_both
from tierscope.predict.program.place import Here
from tierscope.predict.program.processes import strayed
from tierscope.predict.program.progress import watched
from tierscope.predict.program.replays import replay_words
from tierscope.record.result import load
from tierscope.simulated.replay import STANDARD_ERROR, NeverBeganError, Traced
from tierscope.simulated.tracer import runnable, traced_words
from tierscope.suites.response.found import Found as Response
from tierscope.units import parse_seconds, show_seconds

ALWAYS = "sys/kernel/mm/transparent_hugepage/enabled"
LIMIT_S = 60.0  # of one run here
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
        here, levers, with_keep = _here(asked, Path(name), tell)
        tell(f"{command[0]} runs here, several times")
        native = measured(command, asked.limit_s)
        if native.user_s.middle < SHORTEST_S:
            tell(f"{command[0]} takes {show_seconds(native.user_s.middle)} of CPU time, too little to predict "
                 "its time; stop here and give it more work, or wait for what the model alone shows")  # fmt: skip
        wanted = asked.objects or bool(asked.fast)
        home = household(native)
        if home and home.unknown:
            return refused(asked.command, here, native, home, home.unknown)
        if home and wanted and not home.alone:
            raise UsageError(f"{command[0]} starts processes, and objects are those of one process that takes nearly "
                             "all of the time; name its command, or leave --objects and --fast out")  # fmt: skip
        replays = _Replays(command, asked.limit_s * TRACED_TIMES, wanted, tell)
        words = words_of_both(here)
        try:
            parts = [replays.part(here, native, member, words) for member in (home.followed if home else (None,))]
            keep_s = keep_of(here.keeps, parts[0].anchor, parts[0].found) if len(parts) == 1 else None
            if keep_s and with_keep:
                tell(f"its time here shows that the last cache kept lines for about {keep_s * 1e3:.2g} ms")
                parts = [replays.again(with_keep(keep_s), native, parts[0])]
        except NeverBeganError as error:
            if home is None:
                raise
            why = f"{error}: there it starts other processes, or in another order; predict that process by itself"
            return refused(asked.command, here, native, home, why)
        answers = answered(asked.command, parts, native, home, levers, Path(name))
        answers = replace(answers, phases=parts[0].phases(asked.phases))
        if answers.phases and home:
            answers = replace(answers, notes=(*answers.notes, f"phases are those of {home.followed[0].command}"))
        if not wanted:
            return answers
        tell(f"{command[0]} runs in the tracer again, with its objects in two memories")
        first = parts[0]
        sets = [Ends(one.name, first.here.own.words, tuple(one.words), first.found) for one in first.here.tiers]
        again = Again(Path(name), here.memory, lambda words: replays.replay(words, native, first.member)[0])
        return replace(answers, placed=placed(sets, answers.anchor, asked.fast, again))


@dataclass(frozen=True, slots=True)
class _Replays:
    """Runs of a program in the tracer."""

    command: Sequence[str]
    limit_s: float
    objects: bool
    tell: Tell

    def part(self, here: Here, native: Native, member: Member | None, words: Sequence[str]) -> Part:
        """Return the program, or one of its processes, on the machines of these words."""
        name = member.command if member else self.command[0]
        self.tell(f"{name} runs in the tracer" + (f": {member.share:.0%} of the time here" if member else ""))
        found, said = self.replay(words, native, member, {} if self.objects else completed_by(here))
        here, anchored, both = _anchored(here, member.native if member else native, found, said)
        if member and (not anchored.unknown or anchored.misfits) and (why := strayed(member, anchored.cores[0])):
            anchored = replace(anchored, unknown=why, misfits=False)
        return Part(member, here, anchored, both)

    def again(self, here: Here, native: Native, first: Part) -> Part:
        """Return the part on other machines; as it was where the program does not run in the tracer a second time."""
        try:
            return self.part(here, native, first.member, words_of_both(here))
        except TierscopeError as error:
            self.tell(f"it does not run in the tracer again: {error}")
            return first

    def replay(
        self, words: Sequence[str], native: Native, member: Member | None, others: Mapping[str, str] = {}
    ) -> tuple[dict[str, Traced], str]:
        """Return what the machines make of it, and the digest of what the program prints. others: `completed_by`."""
        ran = member.native if member else native
        watch = watched(member.words[0] if member else self.command[0], ran, self.tell)
        return replay_words(
            self.command, words, self.limit_s, user_s=ran.user_s.middle, objects=self.objects, watch=watch,
            process=member.number if member else "", completed_by=others,
        )  # fmt: skip


def _here(asked: Asked, folder: Path, tell: Tell) -> tuple[Here, list[Response], Callable[[float], Here] | None]:
    """Return the machines, what levers did to the program here, and how to make machines whose last cache keeps a line
    for other seconds; None where they are given.
    """
    if is_model(asked.here):
        return of_model(asked.here[0], asked.on), [], None
    refuse_unknown(asked.on)
    named = [load(Path(part)) for word in asked.here for part in word.split(",")]
    runs = runs_here([run for run in named if not is_response(run)], tell)
    digest = runs[0].result.machine.identity.digest()
    levers = responses([run for run in named if is_response(run)], asked.command, digest)
    always = System().choice(f"/{ALWAYS}") == "always"
    page = LARGE_PAGE if always else SMALL_PAGE

    def made(keep_s: float | None) -> Here:
        return places(runs, asked.on, folder, page, contours=asked.contours, keep_s=keep_s)

    return made(None), levers, made


def _anchored(
    here: Here, native: Native, found: Mapping[str, Traced], said: str
) -> tuple[Here, Anchor, Mapping[str, Traced]]:
    """Return the anchor, the machines with the reading of the front end that explains the time here better, and what
    they find. If neither does and both enclose it, the own core is a mixture of both.
    """
    first = found[here.own.word]  # the first machine of the trace contains the warming
    unsure, lines = doubt(first, here.last_lines), lines_of(first)
    machines = (here, here.read_otherwise())
    both = [_anchor(one, native, found, said, unsure, Lineup(one.own.readings, lines=lines)) for one in machines]
    one, other = (seconds_of(each.cores[0]) for each in both)
    at = 1 if explains_better(other, one, both[0].measured_s[1]) else 0
    share = share_of(one, other, both[at].measured_s[1]) if here.own.readings and first.threads == 1 else None
    if share is None:
        return machines[at], both[at], found
    mixture, with_both = machines[at].mixed(), with_mixed(found, here.own.front_end, share)
    lineup = Lineup(mixture.own.readings, True, lines)
    return mixture, _anchor(mixture, native, with_both, said, unsure, lineup), with_both


def _anchor(
    here: Here, native: Native, found: Mapping[str, Traced], said: str, unsure: Doubt, lineup: Lineup
) -> Anchor:
    own, ends = cores_of(here.own, found), [found[word] for word in here.ends]
    return anchor(native, own, said, ends, found.get(here.instant), unsure, lineup)
