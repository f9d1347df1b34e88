"""The processes of a program: `tierscope-core family` starts it and follows what it starts (core/cli/family.hpp)."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from tierscope.core import find_core, read


class Relative(msgspec.Struct, frozen=True, kw_only=True):
    """A process. number: "" of the program itself, "1.2" of the second process that its first one started.

    programs: that it became, itself included; 0: a copy of its parent. file, words: of the last of them, the words cut;
    first_file, first_digests, first_count: of the first one, with FNV-1a of each of its first words.

    Seconds are after the begin of the program. end_s: None if it still runs when the program has ended.
    Its CPU time is then that so far. before_s: CPU time as a copy of its parent, before the first program. user_s and
    system_s are since then.
    """

    number: str
    programs: int
    file: str
    words: tuple[str, ...]
    first_file: str
    first_digests: tuple[str, ...]
    first_count: int
    begin_s: float
    user_s: float
    system_s: float
    end_s: float | None = None
    before_s: float = 0.0

    @property
    def cpu_s(self) -> float:
        """Return its CPU time, without its children and before_s."""
        return self.user_s + self.system_s


class _Ended(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", tag="ended"):
    """The program has ended. status: below 0 a signal."""

    status: int
    wall_s: float


@dataclass(frozen=True, slots=True)
class Family:
    """The processes of one run, in the order of their starts: the program itself is the first.

    status: below 0 a signal; wall_s: of the whole.
    """

    processes: tuple[Relative, ...]
    status: int
    wall_s: float


def family_words(descriptor: int, command: Sequence[str]) -> list[str]:
    """Return the words that run a command, and write its processes to a descriptor; MachineError without a core."""
    return [str(find_core()), "family", str(descriptor), *command]


def family_of(answer: bytes) -> Family | None:
    """Return what was written; None if the system does not let anyone follow a process, or the core was ended."""
    lines = answer.splitlines()
    if not lines or not lines[-1].startswith(b'{"fact":"ended"'):
        return None
    ended = read(lines[-1], _Ended)
    return Family(tuple(read(line, Relative) for line in lines[:-1]), ended.status, ended.wall_s)
