"""A check of the machine: a name, the tables that it affects, and a look at the system's files."""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.doctor.setting import Setting
from tierscope.host.system import System
from tierscope.record.result import Finding
from tierscope.registry import Registry

BANDWIDTH = ("bandwidth",)
"""Touches: what several threads do at the same time."""

EVERY = ("bandwidth", "latency")
"""Touches: every measurement of memory."""

NONE: tuple[str, ...] = ()
"""Touches: no number, only what can be asked for or cross-checked."""


MEANINGS = {
    "bad": "likely changes the numbers",
    "note": "worth knowing when you read the numbers",
    "unknown": "cannot be determined from here; never counted as good",
    "good": "nothing here affects a result",
}
"""Verdict -> what it means, worst first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one check: a state in words, its effect with a source, the exact command that changes it.

    settings: the same as that command, or a part of it, where `doctor --apply` may do it. A state that is good for
    this user may still offer one.
    """

    verdict: str
    state: str
    effect: str = ""
    remedy: str = ""
    settings: tuple[Setting, ...] = ()


def good(state: str) -> Seen:
    """Return the verdict that nothing here affects a result."""
    return Seen("good", state)


def note(state: str, effect: str, remedy: str | Setting = "") -> Seen:
    """Return a finding that is worth knowing when the numbers are read."""
    return _seen("note", state, effect, remedy)


def bad(state: str, effect: str, remedy: str | Setting = "") -> Seen:
    """Return a finding whose effect is likely: numbers differ from those of a well set-up machine."""
    return _seen("bad", state, effect, remedy)


def _seen(verdict: str, state: str, effect: str, remedy: str | Setting) -> Seen:
    if isinstance(remedy, Setting):
        return Seen(verdict, state, effect, remedy.command, (remedy,))
    return Seen(verdict, state, effect, remedy)


def unknown(state: str, effect: str, remedy: str = "") -> Seen:
    """Return the verdict that it cannot be determined from here; `effect` states what it would mean."""
    return Seen("unknown", state, effect, remedy)


@dataclass(frozen=True, slots=True)
class Check:
    """A named look at the system. touches: the topics that its answer affects; each table states its own.

    `looks_at` and `advice` are what the reference reports of it, in light Markdown with links relative to
    docs/reference/: what the check looks at, and what a user can do. `applies`: whether it may offer settings, which
    `doctor --apply` writes.
    """

    name: str
    touches: tuple[str, ...]
    look: Callable[[System], Seen]
    looks_at: str = ""
    advice: str = ""
    applies: bool = False

    def examine(self, system: System) -> Finding:
        """Return the finding; a remedy that calls sudo needs root."""
        seen = self.look(system)
        return Finding(
            name=self.name,
            state=seen.state,
            verdict=seen.verdict,
            touches=self.touches,
            effect=seen.effect,
            remedy=seen.remedy,
            needs_root="sudo " in seen.remedy,
        )

    def settings(self, system: System, *, good_too: bool = False) -> tuple[Setting, ...]:
        """Return the settings that the check wants written here; `good_too` also where its state is good."""
        seen = self.look(system) if self.applies else Seen("good", "")
        return seen.settings if good_too or seen.verdict != "good" else ()


checks: Registry[Check] = Registry("check", "tierscope.doctor.checks")
