"""A program that hardly waits for memory: its time on a tier, whatever the core, if no core explains its time here.

    change by core i          c_i = |b_i - a_i| (1 + gone) + 2 v_i           [s]
    if no two waits overlap   s = L N max over i of c_i                      [s]
    ratio of the program      1 + (b - a) / M +- s / M

a_i, b_i: model times of core i here and on the tier; M: time here; N: threads; v_i: deviation of the change by what was
not traced. L: the most lines that a core has in flight from memory; gone: share of reads that gaps may hide (`cold`). A
core that overlaps n waits shows at least 1/n of their time, and some of the cores fetch nothing
ahead. So s is the change if each line comes alone. The time that a model of a core lacks, for decoding or for ports, is
not that of memory: the accesses are in the trace. If s is at most HARDLY of M, the time there is known without it.
Blind to: accesses of a path that the program does not take in the tracer. So beyond FARTHEST nothing is known.
Source: the number of waits that overlap is bounded by the registers that track them: D. Kroft, "Lockup-Free Instruction
Fetch/Prefetch Cache Organization", ISCA 1981.
"""

from collections.abc import Sequence

HARDLY = 0.05  # of the time here
FARTHEST = 2.0  # factor between the times of the model and of the program here


def change(model_s: float, changes_s: Sequence[float], in_flight: float, here_s: float) -> float | None:
    """Return s / M; None for a program that may wait for memory.

    model_s: a, of the own core; changes_s: c_i. in_flight: L N, 0 where it is not known; here_s: M.
    """
    if not in_flight or here_s <= 0 or not here_s / FARTHEST <= model_s <= here_s * FARTHEST:
        return None
    most = in_flight * max(changes_s) / here_s
    return most if most <= HARDLY else None
