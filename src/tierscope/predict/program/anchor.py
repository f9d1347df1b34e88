"""The anchor of a prediction: the time of a program here, and what each core makes of it, on the model of this machine.

The time on a tier is not known if a of the machine's own core differs from M by more than a quarter, if too few of the
other cores explain M, or if the program is too short. It is also not known if the program prints something else in the
tracer, or if parts of it were not traced. a, M: as in `answer`.
"""

import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tierscope.errors import MachineError
from tierscope.predict.program.cold import NONE, Doubt, explained
from tierscope.predict.program.crowded import crowded
from tierscope.predict.program.itself import itself
from tierscope.predict.program.native import SHORTEST_S, Native
from tierscope.predict.program.one_more import LEAST_CORES, counting, weights
from tierscope.predict.program.processes import lost
from tierscope.simulated.replay import WHY_ILLEGAL, WHY_SIGNAL, Traced
from tierscope.units import show_seconds

OFF = 0.25  # of model over measured, beyond which nothing is reported
NOISY = 0.10  # of the time here, from which a busy machine is the likely reason


def seconds_of(traced: Traced) -> float:
    """Return the seconds of a program that was timed; MachineError for one that was only counted."""
    if traced.seconds is None:
        raise MachineError("the core counted the program and did not time it: nothing is predicted from it")
    return traced.seconds


Pair = tuple[Traced, Traced]
"""A core here and on the tier."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """How the cores of an anchor are related. readings: how many behind the first one are the own core with other
    readings of the front end. mixed: whether the first one is a mixture of the two behind it (`mixture`).

    lines: that the program moves between the caches and the memory, at most (`hardly`); None: not known.
    """

    readings: int = 0
    mixed: bool = False
    lines: float | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The program here. measured_s: M, low, middle, high; rest_s: R; cores: on its model, the own one first.

    ends: the own core with the latency of the memory here at the ends of its interval; () where that is exact.

    instant: the own core with a memory that answers immediately. doubt: accesses that gaps may have changed, as far as
    the time here allows (`cold`).
    """

    native: Native
    measured_s: tuple[float, float, float]
    rest_s: float
    cores: tuple[Traced, ...]
    unknown: str = ""  # why no prediction rests on it
    ends: tuple[Traced, ...] = ()
    instant: Traced | None = None
    doubt: Doubt = NONE
    lineup: Lineup = Lineup()
    misfits: bool = False  # whether the times of the cores are all that is wrong with it

    @property
    def model_s(self) -> float:
        """Return a, of the own core."""
        return seconds_of(self.cores[0])

    @property
    def wall_s(self) -> float:
        """Return the wall time of the program here: M and R."""
        return self.measured_s[1] + self.rest_s

    @property
    def weights(self) -> list[list[float]]:
        """Return the weights of all cores but the own one, for each of measured_s."""
        return [weights([seconds_of(core) for core in self.cores[1:]], time) for time in self.measured_s]

    @property
    def other_reading(self) -> Traced | None:
        """Return the own core with the other reading of the front end; None if it has one reading."""
        return self.cores[1] if self.lineup.readings else None

    @property
    def other_ratio(self) -> float | None:
        """Return model over measured of the other reading; None without one, or for a program that is too short."""
        other = self.other_reading
        return None if other is None or too_short(self) else seconds_of(other) / self.measured_s[1]

    def allows(self, core: Traced) -> bool:
        """Return whether the time here allows a reading of the front end. core: the own one with it.

        Both readings of a mixture are allowed.
        """
        if self.lineup.mixed and any(core is one for one in self.cores[1:3]):
            return True
        return not too_short(self) and abs(seconds_of(core) / self.measured_s[1] - 1) <= OFF

    @property
    def ratio(self) -> float | None:
        """Return model over measured, of the own core; None for a program that is too short to measure, or whose trace
        lacks a part of it. A mixture takes the time here by definition: None, too.
        """
        own = self.cores[0]
        lacks = own.ended or lost(self.native, own) or not own.instructions
        return None if lacks or self.lineup.mixed or too_short(self) else self.model_s / self.measured_s[1]


def anchor(
    native: Native, cores: Sequence[Traced], said: str = "", ends: Sequence[Traced] = (),
    instant: Traced | None = None, doubt: Doubt = NONE, lineup: Lineup = Lineup(),
) -> Anchor:  # fmt: skip
    """Return the anchor. cores: on the model of this machine, own first; `said`: digest of its output in the tracer;
    ends, instant, doubt, lineup: as Anchor.
    """
    time = itself(native, cores[0])
    rest = max(native.wall_s.middle - time.middle, 0.0)
    if instant is not None and (times := [seconds for core in cores if (seconds := seconds_of(core)) > 0]):
        factors = (1 - OFF) * time.low / max(times), (1 + OFF) * time.high / min(times)
        doubt = explained(doubt, seconds_of(cores[0]), seconds_of(instant), factors)
    made = Anchor(
        native, (time.low, time.middle, time.high), rest, tuple(cores), "", tuple(ends), instant, doubt, lineup
    )  # fmt: skip
    why = _doubt(made, cores[0], said)
    misfit = "" if why else _misfit(made)
    return replace(made, unknown=why or misfit, misfits=bool(misfit))


def _doubt(made: Anchor, own: Traced, said: str) -> str:
    """Return why nothing is known, with what to do; "" where nothing is wrong."""
    if own.ended:
        how = f"signal {-own.ended}" if own.ended < 0 else f"status {own.ended}"
        why = WHY_ILLEGAL if own.ended == -signal.SIGILL else WHY_SIGNAL
        return f"in the tracer the program ended with {how}, and here with 0; {why}"
    if untraced := lost(made.native, own):
        return untraced
    if short := too_short(made):
        return short
    if said and made.native.said and said != made.native.said:
        return (
            "in the tracer it printed something else than here, where each run printed the same: it takes another path;"
            " options that fix it, or a build without AVX-512, may avoid this"
        )
    return ""


def _misfit(made: Anchor) -> str:
    """Return why the times of the cores explain the time here too badly; "" where they do."""
    own = made.cores[0]
    if (ratio := made.ratio) is not None and abs(ratio - 1) > OFF:
        lacks = ", the tracer's path does (AVX-512, JIT), or the model lacks some of its time (decoding, ports)"
        why = "the core differs" + (lacks if ratio < 1 else "")
        if ratio < 1 and own.threads > 1 and (crowd := crowded(made.native.cpus, made.native.others_cpus)):
            why = crowd
        noise = made.native.noise_share or 0.0
        busy = f"; runs here differ by {noise:.0%}, so repeat it on an idle machine" if noise > NOISY else ""
        share = own.sampling_deviation_s / seconds_of(own) if seconds_of(own) else 0.0
        parts = f"; the parts that were timed differ: this makes the model's time uncertain by {share:.0%}"
        busy += parts if share > NOISY else ""
        return (
            f"the model takes {ratio:.2f}x the time that was measured here, beyond 0.75x to 1.25x: {why}{busy}; "
            "`tierscope run core` measures the core, and new runs of latency and stream the memory"
        )
    return _too_few(made)


def _too_few(made: Anchor) -> str:
    """Return why the other cores give no bounds; "" where they do."""
    count = min(counting(given[made.lineup.readings :]) for given in made.weights)  # the own core is not another one
    if count >= LEAST_CORES:
        return ""
    others = len(made.cores) - 1 - made.lineup.readings
    return (f"only {count:.1f} of {others} cores that this machine may have explain the time here, and bounds need "
            f"{LEAST_CORES}; `tierscope run core` measures the core")  # fmt: skip


def too_short(made: Anchor) -> str:
    """Return what is too short to measure, with what to do; "" where nothing is.

    Threads that wait have a long wall time, and nothing that a model of a core could explain.
    """
    least = show_seconds(SHORTEST_S)
    if made.native.user_s.middle < SHORTEST_S:
        return f"the program takes less than {least} of CPU time; give it more work"
    return f"the program runs for less than {least}; give it more work" if made.measured_s[1] < SHORTEST_S else ""
