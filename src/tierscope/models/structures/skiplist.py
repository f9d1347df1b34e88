"""`skiplist`: each list has half the entries of the one below; an entry's first line has its key and five links.

For a key with r smaller ones, all ranks r alike, n keys in all:
- on its way are, of the entries that end in list l (of probability p = 2^-(l + 1)), those with no higher one behind
  them: 1 - (1 - p)^r on average. From list 5 on the line of their highest link is read too.
  A share of 2^(l - k) of those that end in a list k above stays on the way down to list l, where the line ends;
- read and found too large are the entries after it that are higher than all before them. Their number is the sum of h >
  0 of (1 - (1 - 2^(1 - h))^m) / 2, m: how many are left;
- the links of the control object are read in the lists above the first entry on the way.
An insert writes links that were read, a new entry (two lines from four links on, the value behind them), and the count
in the control object's first line. A remove does the same, and reads all links of what it removes.
Source: core/structures/persistent/skiplist.cpp; W. Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees",
CACM 33(6), 1990.
"""

import math

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole

LISTS = 32
OWN_LINKS = 5  # of an entry, in its first line
LINE_LINKS = 8  # in each other line
FIRST_LINKS = 4  # of the control object, in its first line
SECOND_LINE = 2.0**-3  # share of entries whose value reaches into a second line: those in four lists or more
LONG = 2.0**-5  # share of entries whose links do: those in six lists or more
SOURCE = "core/structures/persistent/skiplist.cpp"


def _none(share: float, elements: float) -> float:
    """Return the probability that none of this number of entries is of that share."""
    return 0.0 if share >= 1 else math.exp(elements * math.log1p(-share))


def _none_before(share: float, elements: float) -> float:
    """Return the same for the entries before a key, whose number is drawn evenly from 0 to `elements` - 1."""
    return (1 - _none(share, elements)) / (elements * share)


def _passed(elements: float) -> list[Step]:
    """Return the entries on the way, from the highest list down: the line of the key and that of the highest link."""
    steps = []
    for level in reversed(range(LISTS)):
        share = 2.0 ** -(level + 1)
        lines = 1 if level < OWN_LINKS else 2
        steps.append(
            Step(f"entry that ends in list {level}", lines * (1 - _none_before(share, elements)), elements * share)
        )
        if (level + 1 - OWN_LINKS) % LINE_LINKS == 0 and level >= OWN_LINKS:
            stay = (1 - _none_before(share, elements)) * (1 - 2.0 ** (level + 1 - LISTS))
            steps.append(Step(f"links to list {level} of higher entries", stay, elements * share))
    return steps


def _overshot(elements: float) -> list[Step]:
    """Return the entries that are too large, and at last the requested one, or the next one."""
    return [
        Step(f"entry of list {level}, too far", (1 - _none_before(2.0**-level, elements)) / 2, elements * 2.0**-level)
        for level in reversed(range(LISTS))
    ]


def _links(elements: float, *, count: bool) -> list[Step]:
    """Return the lines of the control object; the first contains the count."""
    steps, first = [], 0
    for last in (FIRST_LINKS - 1, *range(FIRST_LINKS + LINE_LINKS - 1, LISTS, LINE_LINKS)):
        here = (
            1.0 if count and first == 0 else _none_before(2.0 ** -(last + 1), elements) - _none(2.0**-first, elements)
        )
        steps.append(Step(f"control object, links from {first} on", max(0.0, here), 1))
        first = last + 1
    return steps[::-1]


def _steps(elements: float, *more: Step, count: bool) -> tuple[Step, ...]:
    return whole(*_links(elements, count=count), *_passed(elements), *_overshot(elements), *more)


def get(elements: float) -> tuple[Step, ...]:
    return _steps(elements, Step("end of the value", SECOND_LINE, elements, dependent=False), count=False)


def insert(elements: float) -> tuple[Step, ...]:
    fresh = Step("new entry", 1 + SECOND_LINE, elements * (1 + SECOND_LINE), dependent=False)
    return _steps(elements, fresh, count=True)


def remove(elements: float) -> tuple[Step, ...]:
    return _steps(elements, Step("more links of the entry", LONG, elements, dependent=False), count=True)


structures.add(Structure("skiplist get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("skiplist insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("skiplist remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
