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
from dataclasses import replace

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import alone, in_pool

LISTS = 32
CONTROL_BEGIN = 144  # modulo 256; its unit has 320 bytes
HEAD_BYTES, KEY_BYTES, VALUE_BYTES = 16, 8, 16  # of the control object before its links; of an entry
ENTRY_BYTES = KEY_BYTES + 8 + VALUE_BYTES  # of one that is in one list
SOURCE = "core/structures/persistent/skiplist.cpp"


def _none(share: float, elements: float) -> float:
    """Return the probability that none of this number of entries is of that share."""
    return 0.0 if share >= 1 else math.exp(elements * math.log1p(-share))


def _none_before(share: float, elements: float) -> float:
    """Return the same for the entries before a key, whose number is drawn evenly from 0 to `elements` - 1."""
    return (1 - _none(share, elements)) / (elements * share)


def _passed(elements: float, line: int, first: int, share: float) -> list[Step]:
    """Return the entries on the way, from the highest list down: the line of the key and that of the highest link.

    first: bytes of an entry in its first line; share: of all entries that begin so, times what each has of its line.
    """
    steps, own, each = [], (first - KEY_BYTES) // 8, line // 8
    for level in reversed(range(LISTS)):
        chance = 2.0 ** -(level + 1)
        lines = 1 if level < own else 2
        places = share * elements * chance
        steps.append(Step(f"entry that ends in list {level}", lines * (1 - _none_before(chance, elements)), places))
        if (level + 1 - own) % each == 0 and level >= own:
            stay = (1 - _none_before(chance, elements)) * (1 - 2.0 ** (level + 1 - LISTS))
            steps.append(Step(f"links to list {level} of higher entries", stay, places))
    return steps


def _overshot(elements: float, share: float) -> list[Step]:
    """Return the entries that are too large, and at last the requested one, or the next one."""
    return [
        Step(
            f"entry of list {level}, too far",
            (1 - _none_before(2.0**-level, elements)) / 2,
            share * elements * 2.0**-level,
        )
        for level in reversed(range(LISTS))
    ]


def _links(elements: float, line: int, *, count: bool) -> list[Step]:
    """Return the lines of the control object; the first contains the count."""
    steps, first, each = [], 0, line // 8
    own = (_first(alone(line, CONTROL_BEGIN).begins[0], line) - HEAD_BYTES) // 8
    for last in (own - 1, *range(own + each - 1, LISTS + each - 1, each)):
        end = min(last, LISTS - 1)
        here = 1.0 if count and first == 0 else _none_before(2.0 ** -(end + 1), elements) - _none(2.0**-first, elements)
        steps.append(Step(f"control object, links from {first} on", max(0.0, here), 1))
        first = last + 1
    return steps[::-1]


def _first(begin: int, line: int) -> int:
    """Return the bytes of an object in its first line."""
    return line - begin % line


def _steps(elements: float, line: int, *more: Step, count: bool) -> tuple[Step, ...]:
    entries, steps = in_pool(ENTRY_BYTES, line), _links(elements, line, count=count)
    for begin in entries.begins:
        part = 1 / len(entries.begins)
        share = entries.of(part)
        own = [*_passed(elements, line, _first(begin, line), share), *_overshot(elements, share)]
        steps += [replace(step, lines=part * step.lines) for step in own]
    return whole(*steps, *more)


def _longer(line: int, behind_links: int) -> float:
    """Return the share of entries whose links, and this number of bytes behind them, go beyond the first line."""
    entries = in_pool(ENTRY_BYTES, line)
    most = [(_first(begin, line) - KEY_BYTES - behind_links) // 8 for begin in entries.begins]  # links, of one line
    return sum(2.0**-links for links in most) / len(most)


def get(elements: float, line: int) -> tuple[Step, ...]:
    places = in_pool(ENTRY_BYTES, line).of(elements)
    end = Step("end of the value", _longer(line, VALUE_BYTES), places, dependent=False)
    return _steps(elements, line, end, count=False)


def insert(elements: float, line: int) -> tuple[Step, ...]:
    lines = 1 + _longer(line, VALUE_BYTES)
    fresh = Step("new entry", lines, in_pool(ENTRY_BYTES, line).of(elements, lines), dependent=False)
    return _steps(elements, line, fresh, count=True)


def remove(elements: float, line: int) -> tuple[Step, ...]:
    places = in_pool(ENTRY_BYTES, line).of(elements)
    return _steps(
        elements, line, Step("more links of the entry", _longer(line, 0), places, dependent=False), count=True
    )


structures.add(Structure("skiplist get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("skiplist insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("skiplist remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
