"""How likely numbers agree in all printed digits by chance.

Two measurements whose values are within SCATTER of each other agree in all digits with probability

    step / (2 * window)          window = SCATTER * value, or less where the rows themselves show less scatter

The number of such agreements among many pairs follows Poisson's distribution. Measurements that scatter by less than
SCATTER have near values that are not equal; the window then shrinks to the distance of those.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, lgamma, log

from tierscope.audit.statement import Quantity

SCATTER = 1e-3  # of the value: two measurements of one thing on a quiet machine differ by at least this
RARE = 1e-4  # an agreement that is rarer than this is not by chance


def equal_share(one: Quantity, window: float) -> float:
    """Return the probability that two values within `window` of each other agree in all digits."""
    return min(1.0, one.step / (2 * window)) if window > 0 else 1.0


def at_least(count: int, expected: float) -> float:
    """Return the probability of `count` agreements or more where `expected` are likely."""
    if count <= 0 or expected <= 0:
        return 1.0 if count <= 0 else 0.0
    return max(0.0, 1.0 - sum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(count)))


def near(values: Sequence[Quantity]) -> list[tuple[int, int]]:
    """Count the pairs of values that are within SCATTER of each other."""
    found = sorted(range(len(values)), key=lambda i: values[i].value)
    pairs = []
    for place, i in enumerate(found):
        for j in found[place + 1 :]:
            if values[j].value - values[i].value > SCATTER * abs(values[i].value):
                break
            pairs.append((i, j))
    return pairs


def window(values: Sequence[Quantity], pairs: Iterable[tuple[int, int]]) -> float:
    """Return the window that contains near values: as wide as those that are not equal, else SCATTER."""
    apart = [d for i, j in pairs if (d := abs(values[i].value - values[j].value)) > values[i].step / 2]
    most = SCATTER * max((abs(one.value) for one in values), default=0.0)
    return min(most, max(apart)) if apart else most


def steps_of(values: Sequence[Quantity]) -> tuple[float, list[float]]:
    """Return (step, the different values that are whole multiples of it), from differences to repeated values."""
    times = Counter(one.value for one in values)
    rounding = max(one.step for one in values)
    repeated = [value for value, count in times.most_common(MOST) if count > 1]
    steps = {abs(a - b) for a in repeated for b in times}
    fits = [(step, [value for value in times if multiple(value, step, rounding)]) for step in steps if step > 0]
    return max(fits, key=lambda found: len(found[1]), default=(0.0, []))


MOST = 8  # the number of repeated values that a step is searched among: those that repeat most often
SURE = 0.05  # of a step: values that rounding leaves anywhere between two multiples fit any step


def multiple(value: float, step: float, rounding: float) -> bool:
    """Return whether a value is a whole number of steps, within the rounding of the value and of the step's ends."""
    times = round(value / step)
    room = rounding / 2 + times * rounding / 2
    return times > 0 and room <= SURE * step and abs(value - times * step) <= room
