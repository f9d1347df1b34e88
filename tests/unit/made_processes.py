"""Processes of made runs: each as its number, begin, end and CPU time."""

from tierscope.predict.program.native import Native
from tierscope.simulated.family import Family, Relative
from tierscope.stats.median import Interval


def process(
    number: str, begin: float, end: float | None, cpu: float, *, name: str = "", programs: int = 1, words: int = 2,
    before: float = 0.0,
) -> Relative:  # fmt: skip
    """Return a process whose CPU time is that of the user. name: of its program, else `/bin/pNUMBER`; before: its CPU
    time until then.
    """
    file = f"/bin/{name or f'p{number}'}" if programs else ""
    shown = (file, "word")[:words] if programs else ()
    return Relative(
        number=number, programs=programs, file=file, words=shown, first_file=file, first_digests=("0" * 16,) * words,
        first_count=words, begin_s=begin, end_s=end, user_s=cpu, system_s=0.0,
        before_s=before,
    )  # fmt: skip


def ran(*runs: tuple[Relative, ...], wall: float = 10.0) -> Native:
    """Return what was measured in runs of these processes; one run stands for five."""
    families = tuple(Family(one, 0, wall) for one in (runs * 5 if len(runs) == 1 else runs))
    time = Interval(wall, wall, wall, len(families))
    return Native(time, time, 0.0, len(families), families=families)
