"""A program, or one of its processes, on all machines; and the answers of the whole program by its parts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tierscope.predict.program.anchor import Anchor, seconds_of
from tierscope.predict.program.answer import Answer, answer, slowdown
from tierscope.predict.program.found import Found
from tierscope.predict.program.front_end import between_readings, replayed
from tierscope.predict.program.lever import judged, opinion
from tierscope.predict.program.members import Household, Member
from tierscope.predict.program.native import Native
from tierscope.predict.program.phases import Cores as PhaseCores
from tierscope.predict.program.phases import Phase, phases
from tierscope.predict.program.place import Here, Place
from tierscope.predict.program.processes import followed_notes, served
from tierscope.predict.program.slowest import factors
from tierscope.predict.program.whole import Followed, between, whole
from tierscope.record.predicted import PredictedCell
from tierscope.simulated.replay import Traced
from tierscope.suites.response.found import Found as Response

IDLE = ",queueing=false"
TAIL = 0.04  # of all instructions: more than most gaps have


@dataclass(frozen=True, slots=True)
class Part:
    """member: the process; None: the program starts none. here: with the reading of the front end that answers.

    found: word -> what that machine makes of it.
    """

    member: Member | None
    here: Here
    anchor: Anchor
    found: Mapping[str, Traced]

    def answers(self) -> list[Answer]:
        """Return the answer for each tier, of this part alone."""
        here, found = self.here, self.found
        return [
            answer(
                place.name, _to(place, self.anchor), cores_of(place, found), found.get(place.word + IDLE),
                found.get(here.instant), found.get(place.large), place.notes, place.each,
            )
            for place in here.tiers
        ]  # fmt: skip

    def phases(self, count: int) -> tuple[Phase, ...]:
        """Return the phases; none if the program has no markers and none are asked for."""
        if not count and not self.anchor.cores[0].phases:
            return ()
        found = self.found
        tiers = [
            PhaseCores(
                place.name, list(zip(self.anchor.cores, cores_of(place, found), strict=True)),
                found.get(place.word + IDLE), found.get(self.here.instant), _to(place, self.anchor).ends,
            )
            for place in self.here.tiers
        ]  # fmt: skip
        return phases(self.anchor, tiers, count)

    def notes(self) -> tuple[str, ...]:
        """Return what limits its answers."""
        own = self.anchor.cores[0]
        every = (*refused_reading(self.here, self.anchor), *served(self.anchor.native, own), *_tail(own))
        return every if self.member is None else tuple(f"of {self.member.command}: {note}" for note in every)


def words_of(here: Here) -> list[str]:
    """Return each machine once."""
    words = [word for place in (here.own, *here.tiers) for word in place.words]
    words += [place.word + IDLE for place in here.tiers if here.instant]
    words += [place.large for place in here.tiers if place.large]
    words += [*(place.words[0] for place in here.grid), *here.ends, *(word for _, word in here.keeps)]
    return list(dict.fromkeys([*words, *([here.instant] if here.instant else [])]))


def words_of_both(here: Here) -> list[str]:
    """Return each machine once, with both readings of the front end."""
    return list(dict.fromkeys([*words_of(here), *words_of(here.read_otherwise())]))


def completed_by(here: Here) -> dict[str, str]:
    """Return each machine that times the begin of units alone, and the one that completes its time.

    The own core in both readings of the front end times all, here and on each tier: one of them gives the ratio. So do
    the memories of the contours.
    """
    other = here.read_otherwise()
    timed = {one.word for both in (here, other) for one in (both.own, *both.tiers)}
    found: dict[str, str] = {}
    for both in (here, other):
        for place in (both.own, *both.tiers):
            found |= dict.fromkeys([*place.words, place.word + IDLE, place.large], place.word)
        found |= dict.fromkeys([*both.ends, both.instant], both.own.word)
    found |= dict.fromkeys((word for _, word in here.keeps), here.own.word)
    replayed = set(words_of_both(here)) - timed - {place.words[0] for place in (*here.grid, *other.grid)}
    return {word: own for word, own in found.items() if word in replayed}


def cores_of(place: Place, found: Mapping[str, Traced]) -> list[Traced]:
    """Return what all cores of a place make of it."""
    return [found[word] for word in place.words]


def answered(
    command: Sequence[str], parts: Sequence[Part], native: Native, home: Household | None,
    levers: Sequence[Response], folder: Path,
) -> Found:  # fmt: skip
    """Return the answers for the program. parts: it, or the processes that were followed; folder: for files."""
    here = parts[0].here
    followed = tuple(Followed(part.member, part.anchor) for part in parts if part.member)
    each = [part.answers() for part in parts]
    tiers = each[0]
    added: tuple[str, ...] = ()
    if home:
        words = (here.own.word, here.instant, *(place.word for place in here.tiers))
        own, instant, *there = map(replayed, words)
        limits = factors(own, instant, there, folder)
        tiers = [whole(its, followed, home, limit) for *its, limit in zip(*each, limits, strict=True)]
        added = followed_notes(
            home,
            [part.anchor.ratio for part in parts],
            dict(zip((place.name for place in here.tiers), limits, strict=True)),
        )
    judgements = tuple(judged(one, opinion(levers, place)) for one, place in zip(tiers, here.tiers, strict=True))
    notes = (*native.notes, *here.notes, *added, *(note for part in parts for note in part.notes()))
    return Found(
        tuple(command), parts[0].anchor, judgements, notes, tuple(_cells(parts, followed, home)), here.tiers,
        here.memory_s, here.bandwidth_bytes_per_s, home=home, followed=followed, ran=native,
    )  # fmt: skip


def refused(command: Sequence[str], here: Here, native: Native, home: Household, why: str) -> Found:
    """Return that nothing is known of the program, which no model has met."""
    nothing = Traced(machine="", instructions=0, loads=0, stores=0, counters={}, seconds=0.0)
    time = native.user_s
    anchor = Anchor(native, (time.low, time.middle, time.high), 0.0, (nothing,), why)
    tiers = tuple(Answer(place.name, None, None, None, None, 0.0, unknown=why) for place in here.tiers)
    return Found(
        tuple(command), anchor, tiers, (*native.notes, *here.notes), (), here.tiers, here.memory_s,
        here.bandwidth_bytes_per_s, home=home, ran=native,
    )  # fmt: skip


def _to(place: Place, here_s: Anchor) -> Anchor:
    """Return the anchor for a tier; its latency is exact where that of the tier is the same one."""
    return replace(here_s, ends=()) if place.as_here else here_s


def _cells(parts: Sequence[Part], followed: Sequence[Followed], home: Household | None) -> Iterator[PredictedCell]:
    """Yield the grid; nothing where no prediction rests on an anchor."""
    if any(part.anchor.unknown for part in parts):
        return
    for number, place in enumerate(parts[0].here.grid):
        if place.over is None or place.bandwidth_over is None:
            continue
        ratios = [slowdown(part.anchor, part.found[part.here.grid[number].words[0]]) for part in parts]
        ratio = between(ratios, followed, home) if home else ratios[0]
        yield PredictedCell(latency_over=place.over, bandwidth_over=place.bandwidth_over, ratio=ratio)


def refused_reading(here: Here, here_s: Anchor) -> tuple[str, ...]:
    """Return a note where the time here refuses a reading of the front end, and not the other one, or both."""
    if here_s.lineup.mixed and not here_s.unknown:
        return (between_readings(*(seconds_of(core) / here_s.measured_s[1] for core in here_s.cores[1:3])),)
    other, ratio = here_s.other_reading, here_s.other_ratio
    if other is None or ratio is None or here_s.allows(other) or here_s.unknown:
        return ()
    return (here.own.front_end.refused(here.own.others[0], ratio),)


def _tail(own: Traced) -> tuple[str, ...]:
    """Return a note where the end of the program is not sampled; what it does there has the rate of the last unit."""
    share = own.last_gap / (own.instructions + own.untraced_instructions)
    return (f"the last {share:.0%} of its instructions were not traced; take a larger case",) if share > TAIL else ()
