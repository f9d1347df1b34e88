"""The steps of a plan that `tierscope-core` ran alone: each line of the plan with the answer of the core.

The core answers each line but `group` with one line, in order, so this module reads the two texts in parallel. It
refuses what does not match: a plan of another run, an output that is cut off, a step whose answer was not checked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from tierscope.core import read
from tierscope.errors import CoreError, UsageError, WrongAnswerError
from tierscope.record.experiment import Group
from tierscope.record.facts import Clock, GroupFacts
from tierscope.suites.groups.experiments import COUNTS, read_group
from tierscope.units import parse_seconds

ANSWERS = {"prepare": "prepared", "measure": "measured", "set": "set", "check": "checked", "drop": "dropped"}
FINISH = ("prepare", "measure", "check")  # of groups that a plan leaves unprepared
SECONDS, BLOCK = "1s", "1ms"  # of `measure` without them
REFUSED = {"count": "counters", "counts": "counters", "timings": "structures"}
CHECK = "add a line `check` after it, and run the plan again"


class Step(NamedTuple):
    """One `measure`. words: the options of each group, as the plan has them; facts: as the core verified them."""

    line: str
    words: tuple[dict[str, str], ...]
    groups: tuple[Group, ...]
    facts: tuple[GroupFacts, ...]
    chosen: tuple[int, ...]  # numbers of the groups that ran, in the samples
    first: int
    rows: int
    clock: Clock
    seconds: float
    block_s: float
    error: float = 0.0  # the largest that the core found, relative to scalar code


class Output(NamedTuple):
    """The output of the core, and the lines before it."""

    header: dict[str, Any]  # hostname, kernel, started, where the user printed them
    topology: dict[str, Any] | None
    hello: dict[str, Any]
    facts: list[dict[str, Any]]


def is_of_the_core(content: bytes) -> bool:
    """Return whether a text looks like what `tierscope-core run` printed."""
    return re.search(rb'^\{"fact":"hello",', content[: 1 << 20], re.MULTILINE) is not None


def read_output(content: bytes) -> Output:
    """Raise UsageError for a line that is not JSON, or output that begins in another way."""
    header: dict[str, Any] = {}
    topology, hello, facts = None, None, []
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"line {number} is not a JSON object: {error}; copy the whole output again") from error
        if "fact" not in one and hello is None:
            topology = one if "architecture" in one else topology
            header |= {} if "architecture" in one or "kernels" in one else one
        elif one.get("fact") == "hello" and hello is None:
            hello = one
        elif one.get("fact") == "error":
            raise UsageError(f"the plan failed at line {number} of the output: {one.get('message')}; correct the plan")
        else:
            facts.append(one)
    if hello is None:
        raise UsageError("no line is the greeting of the core; copy the whole output of `tierscope-core run`")
    return Output(header, topology, hello, facts)


def steps_of(plan: str, facts: Sequence[dict[str, Any]]) -> list[Step]:
    """Raise UsageError where plan and output do not belong together; WrongAnswerError where an answer was wrong."""
    reader = _Reader(iter(facts))
    for number, line in enumerate(plan.splitlines(), 1):
        if command := _command(line):
            with _at(number, line.strip()):
                reader.take(line.strip(), *command)
    for name in FINISH if reader.pending else ():
        with _at(len(plan.splitlines()), "the end"):
            reader.take(name, name, {})
    if (rest := next(reader.facts, None)) is not None:
        raise UsageError(f"the output continues with {rest.get('fact')!r} after the end of the plan; name its own plan")
    if reader.unchecked:
        raise UsageError(f"the answers of {reader.unchecked[0].line!r} were not checked; {CHECK}")
    return reader.steps


@contextmanager
def _at(number: int, line: str) -> Iterator[None]:
    """Name the line of the plan at which its output is wrong; a wrong file is not a fault of Tierscope."""
    try:
        yield
    except WrongAnswerError:
        raise
    except (UsageError, CoreError) as error:
        raise UsageError(f"line {number} of the plan, {line[:60]!r}: {error}") from error
    except (ValueError, IndexError) as error:
        raise UsageError(f"line {number} of the plan, {line[:60]!r}: a number of a group is wrong: {error}") from error


class _Reader:
    """The state of the core's session, line by line."""

    def __init__(self, facts: Iterator[dict[str, Any]]) -> None:
        self.facts = facts
        self.pending: list[dict[str, str]] = []
        self.steps: list[Step] = []
        self.unchecked: list[Step] = []
        self._words: list[dict[str, str]] = []
        self._seen: list[GroupFacts] = []
        self._clock: Clock | None = None

    def take(self, line: str, name: str, words: dict[str, str]) -> None:
        """Read the answer to one line."""
        if name in REFUSED:
            raise UsageError(f"{REFUSED[name]} are not imported; leave the line out, or run it with Tierscope")
        if name == "group":
            self.pending.append(words)
            return
        if name not in ANSWERS:
            raise UsageError(f"no command of a plan (known: group, {', '.join(ANSWERS)})")
        fact = next(self.facts, None)
        if fact is None or fact.get("fact") != ANSWERS[name]:
            found = "ends" if fact is None else f"continues with {fact.get('fact')!r}"
            raise UsageError(f"the output {found} here; name the plan that it was made with, and copy all of it")
        getattr(self, f"_{name}")(line, words, fact)

    def _prepare(self, _line: str, _words: dict[str, str], fact: dict[str, Any]) -> None:
        self._refuse_unchecked()
        self._words, self.pending = self.pending, []
        self._seen = list(read(fact, tuple[GroupFacts, ...], "groups"))
        self._clock = read(fact, Clock, "clock")
        if len(self._seen) != len(self._words):
            raise UsageError(f"the output has {len(self._seen)} groups here, the plan {len(self._words)}")
        if any(one.operation == "key" for one in self._seen):
            raise UsageError("structures are not imported; run them with Tierscope")

    def _set(self, _line: str, words: dict[str, str], fact: dict[str, Any]) -> None:
        number = int(words.get("group", "0"))
        self._words[number] = self._words[number] | {key: word for key, word in words.items() if key != "group"}
        self._seen[number] = read(fact, GroupFacts, "group")

    def _measure(self, line: str, words: dict[str, str], fact: dict[str, Any]) -> None:
        if words.get("keep") == "0" or self._clock is None:
            return
        chosen = tuple(map(int, words["groups"].split(","))) if "groups" in words else tuple(range(len(self._seen)))
        step = Step(
            line=line,
            words=tuple(self._words[one] for one in chosen),
            groups=tuple(_group(self._words[one], self._seen[one]) for one in chosen),
            facts=tuple(self._seen[one] for one in chosen),
            chosen=chosen,
            first=read(fact, int, "first"),
            rows=read(fact, int, "rows"),
            clock=self._clock,
            seconds=parse_seconds(words.get("seconds", SECONDS)),
            block_s=parse_seconds(words.get("block", BLOCK)),
        )
        self.steps.append(step)
        self.unchecked.append(step)

    def _check(self, line: str, _words: dict[str, str], fact: dict[str, Any]) -> None:
        errors = read(fact, list[float | None], "largest_relative_error")
        wrong = [one.kernel for one, error in zip(self._seen, errors, strict=False) if error is None or error > 1e-15]
        if wrong:
            raise WrongAnswerError(
                f"{', '.join(wrong)}: the core found a wrong answer at {line!r}; nothing is imported"
            )
        known = [error for error in errors if error is not None]
        done = len(self.steps) - len(self.unchecked)
        self.steps[done:] = [one._replace(error=max(known, default=0.0)) for one in self.unchecked]
        self.unchecked = []

    def _drop(self, _line: str, _words: dict[str, str], _fact: dict[str, Any]) -> None:
        self._refuse_unchecked()

    def _refuse_unchecked(self) -> None:
        if self.unchecked:
            raise UsageError(f"the answers of {self.unchecked[0].line!r} were not checked before; {CHECK}")


def entry_of(words: Mapping[str, str]) -> dict[str, Any]:
    """Return the words of a group as a table of a file of groups has them."""
    entry: dict[str, Any] = {"target": "node:0", **words}
    entry |= {key: int(words[key]) for key in COUNTS if words.get(key, "").isdecimal()}
    if "command" in words:
        entry["command"] = unquote(words["command"])
    if "shared" in words:
        entry["shared"] = words["shared"] == "1"
    return entry


def _group(words: Mapping[str, str], facts: GroupFacts) -> Group:
    kernel = words.get("kernel", "")
    if kernel != facts.kernel:
        raise UsageError(f"the plan has kernel {kernel or 'none'}, and the output {facts.kernel}; name its own plan")
    return read_group(entry_of(words), "its group", {kernel: facts.operation})


def _command(line: str) -> tuple[str, dict[str, str]] | None:
    """Return the command and its words; None for an empty line. A `#` at the start of a word begins a comment."""
    name, *rest = re.split(r"(?:^|\s)#", line)[0].split() or [""]
    pairs = [word.partition("=") for word in rest]
    return (name, {key: word for key, _, word in pairs}) if name else None
