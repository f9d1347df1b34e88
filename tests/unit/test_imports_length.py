"""No importer takes more than a few passes over a file: long runs of anything, at any place of a real output.

Each input runs in a child that the system ends after CPU_S seconds of its own CPU time, so that a busy machine changes
nothing. A pass over such a file takes milliseconds, a walk over all pairs of its characters minutes to hours.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tierscope import units
from tierscope.doctor.checks import resctrl
from tierscope.errors import UsageError
from tierscope.host.persistent import tools
from tierscope.host.system import System
from tierscope.imports import importers

DATA = Path(__file__).parents[1] / "data/imports"
LONG = 1 << 17  # bytes of a run that is all there is: all pairs are 9 * 10^9
RUN = 1 << 16  # bytes of a run in a real output: all pairs are 2 * 10^9
MOST = 40  # places of one importer; fio's documents have thousands, which are alike
CPU_S = 5.0  # 2.3 ns for each pair


def samples(name: str) -> list[str]:
    """Real outputs of one format; each file under tests/data/imports is read by one importer."""
    texts = [path.read_text() for path in sorted(DATA.iterdir()) if path.is_file()]
    known = [text for text in texts if importers[name].knows(text)]
    return known or [(DATA / "multichase.txt").read_text()]


def places(text: str) -> Iterator[tuple[str, int, int]]:
    """(what, first, last) of the words of lines that differ in more than their digits."""
    seen: set[str] = set()
    at = 0
    for line in text.splitlines(keepends=True):
        shape = re.sub("[0-9]+", "0", line)
        if shape not in seen:
            yield from ((shape.strip(), at + word.start(), at + word.end()) for word in re.finditer(r"\w+|\W", line))
        seen.add(shape)
        at += len(line)


def hostile(name: str) -> Iterator[tuple[str, str]]:
    """(what it is, text)."""
    for text in samples(name):
        head = text[: min(len(text), 400)]
        for run in (" ", "\t", "\n", "0", ",", ";", ":", "{", "{\n", '{"', '{"a":[\n', "(", "[", "a ", "a: ", "\0"):
            whole = run * (LONG // len(run))
            yield f"{run!r} alone", whole
            yield f"{run!r} behind a real output", text + whole
            yield f"{run!r} behind a head", head + whole + "!"
        for line in dict.fromkeys(text.splitlines()):
            if line.strip() and not line.startswith(" "):
                yield f"{line!r} again and again", head + line * (LONG // len(line)) + "!"
                yield f"{line!r} on many lines", (line + "\n") * (LONG // (len(line) + 1))
        every = list(places(text))
        for what, first, last in every[:: max(len(every) // MOST, 1)]:
            for run in (" ", "0", text[first:last], text[first:last] + " "):
                longer = run * (RUN // len(run))
                yield f"{run!r} in {what!r} at {first}", text[:last] + longer + "!" + text[last:]


def feed(name: str) -> None:
    """In a child: the last line names the input that was too much."""
    for what, text in hostile(name):
        begin(what)
        importers[name].knows(text)
        with suppress(UsageError):
            importers[name].read(text)
    begin("all read")


def begin(what: str) -> None:
    sys.stdout.write(what.encode("unicode_escape").decode() + "\n")
    sys.stdout.flush()
    signal.setitimer(signal.ITIMER_PROF, CPU_S)


def feed_others() -> None:
    """Arguments of a user and of a file, and messages of tools and of the kernel."""
    for run in (" ", "\n", "\t", "1", "a", "<Dimm>", "<a>", "MB:", "L3:"):
        long = run * (LONG // len(run))
        for text in (long, f"4{long}!", f"<Dimm>{long}", f"MB:0=100{long}!"):
            begin(f"{run!r} of {text[:10]!r}")
            with suppress(UsageError):
                units.parse_bytes(text)
            with suppress(UsageError):
                units.parse_rate(text)
            list(tools._ipmctl(text))
            resctrl._caps(System(DATA), text)
    begin("all read")


@pytest.mark.parametrize("name", list(importers))
def test_a_long_run_anywhere_takes_no_longer_than_its_length(name: str) -> None:
    in_a_child(f"feed({name!r})")


def test_other_readers_take_no_longer_than_the_length_either() -> None:
    in_a_child("feed_others()")


def in_a_child(call: str) -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", f"import test_imports_length as t; t.{call}"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["all read"]), done.stderr[-2000:]
