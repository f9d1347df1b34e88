"""Processes that a program starts and programs that it becomes: served where they take little, else refused."""

import os
import sys

import pytest

from tierscope.predict.program import native
from tierscope.predict.program.native import Native
from tierscope.predict.program.processes import lost, served
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
FOLLOWED = "followed /opt/a b/program"


def of(*notes: str, whole: bool = True) -> Traced:
    return Traced(machine="m", instructions=9, loads=1, stores=1, counters={}, seconds=1.0, notes=notes, whole=whole)


def here(user: float = 1.0, wall: float = 1.0, children: float = 0.0) -> Native:
    return Native(Interval(wall, wall, wall, 5), Interval(user, user, user, 5), 0.0, 5, children_s=children)


def test_a_program_without_others_is_served_without_a_note() -> None:
    assert (lost(here(), of()), served(here(), of())) == ("", ())


def test_small_processes_are_served_with_a_note() -> None:
    assert lost(here(children=0.02), of("fork")) == ""
    share = 0.02 + TICK_S
    assert served(here(children=0.02), of("fork")) == (
        f"it started 1 process, not traced, with at most {share:.1%} of its CPU time",
    )


def test_large_processes_are_refused_with_the_program_to_predict() -> None:
    assert lost(here(children=0.5), of("fork", "exec", "fork")) == (
        f"it started 2 processes, not traced, with up to {0.5 + TICK_S:.0%} of its CPU time; "
        "predict what they run by itself"
    )
    why = lost(here(children=0.5), of("fork", "followed /bin/sh", FOLLOWED))
    assert why.endswith("; then it became /opt/a b/program: predict that program")
    assert served(here(children=0.5), of("fork")) == ()


def test_processes_of_a_short_program_are_refused_since_the_kernel_counts_in_ticks() -> None:
    assert "with up to 50% of its CPU time" in lost(here(user=2 * TICK_S, wall=2 * TICK_S), of("fork"))
    assert "with up to 100% of its CPU time" in lost(here(user=0.0), of("fork"))


def test_a_program_that_may_have_waited_for_others_is_refused() -> None:
    """The kernel does not add up processes that nobody waited for."""
    assert "and ran for 50% of its wall time: it may have waited for them" in lost(here(wall=2.0), of("fork"))
    assert lost(here(wall=2.0), of()) == ""


def test_a_program_that_the_trace_follows_has_a_note() -> None:
    assert served(here(), of("exec", FOLLOWED)) == ("it became /opt/a b/program (exec), which is in the trace",)
    assert lost(here(), of("exec", FOLLOWED)) == ""


def test_a_program_that_the_trace_lost_is_refused() -> None:
    assert lost(here(), of("exec", whole=False)).endswith("or in /proc; predict that program by itself")


SPIN = "import time; begin = time.process_time()\nwhile time.process_time() - begin < {}: pass\n"
"""Python: take that much CPU time."""


@pytest.mark.parametrize("within", ["the program", "a child"])
def test_the_time_of_children_is_kept_apart(within: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of CPU time that was charged: a busy machine does not change them."""
    monkeypatch.setattr(native, "LEAST", 1)
    monkeypatch.setattr(native, "SPENT_S", 0.0)
    spin = SPIN.format(0.5)
    script = f"import os\nif os.fork() == 0:\n  exec({spin!r}); os._exit(0)\nos.wait()" if within == "a child" else spin
    found = native.measured([sys.executable, "-c", script], 300)
    assert (found.children_s >= 0.5 - 2 * TICK_S) == (within == "a child")
