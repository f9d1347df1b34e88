"""Talks to a core as a person would: plans in, facts out. Not `tierscope.core`, which hides statuses and processes."""

import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tierscope.core import catalogue, find_core

CPUS = sorted(os.sched_getaffinity(0))
Fact = dict[str, Any]


def run(*lines: str, words: tuple[str, ...] = ()) -> tuple[int, list[Fact]]:
    """A whole plan: exit status and facts."""
    command: list[str | Path] = [find_core(), "run", "-", *words]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def refused(*lines: str) -> tuple[int, str]:
    """Exit status and message of a plan that must be refused: those of its first error."""
    status, facts = run(*lines)
    first = next(fact for fact in facts if fact["fact"] == "error")
    return status, first["message"]


def is_sanitized() -> bool:
    """Such a build is slower by itself: ratios of times mean nothing."""
    return "sanitized" in catalogue().compiler


class Talk:
    """A core that waits for the next line."""

    def __init__(self, *words: str) -> None:
        command: list[str | Path] = [find_core(), "run", "-", *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self._answer()

    def say(self, line: str) -> Fact:
        """Its answer; a `group` has none."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return {} if line.startswith("group") else self._answer()

    def prepare(self, *groups: str) -> list[Fact]:
        for group in groups:
            self.say(f"group {group}")
        fact = self.say("prepare")
        assert fact["fact"] == "prepared", fact
        return list(fact["groups"])

    def _answer(self) -> Fact:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()
