"""Order machines by their caches and TLBs: those that are alike share the warming if one process of the core has them.

Only the core knows which machines share it. A wrong guess costs time and changes no answer.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tierscope.plans.simulation import PREFIX

APART = ("core.", "cpu.", "memory.", "memory=", "queueing=", "objects=", "begin=", "knot=")
"""Words that change no cache and no TLB."""
MEMORIES = "memories = "


def by_caches(words: Sequence[str]) -> list[int]:
    """Return the numbers of the words such that those with the same caches are neighbours; number 0 stays the first.

    words: of machines, `sim:...`.
    """
    first: dict[tuple[str, ...], int] = {}
    ranks = [first.setdefault(_caches(word), number) for number, word in enumerate(words)]
    return sorted(range(len(words)), key=ranks.__getitem__)


def _caches(word: str) -> tuple[str, ...]:
    name, *rest = word.removeprefix(PREFIX).split(",")
    return _without_memories(name), *sorted(part for part in rest if not part.startswith(APART))


def _without_memories(name: str) -> str:
    """Return what a file states without the memories that it names; the name of any other machine."""
    if name.endswith(".toml"):
        with suppress(OSError, UnicodeDecodeError):
            lines = Path(name).read_text().splitlines()
            return "\n".join(line for line in lines if not line.startswith(MEMORIES))
    return name
