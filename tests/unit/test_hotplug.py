"""Memory that is added or removed during a run: read below a fake root, reported as a warning of the run."""

from pathlib import Path

import pytest

from lab import group, lab_in, plan_of, point
from tierscope.host import blocks
from tierscope.host.blocks import BLOCKS, TOTAL, Memory
from tierscope.record.result import Warn
from tierscope.run import runner
from tierscope.run.hotplug import changed
from tierscope.run.inspect import state
from tierscope.units import GiB, KiB
from trees import FORBIDDEN, plant

BASE = "/sys/devices/system/memory"


def tree(tmp_path: Path, *states: object, total: int = 16 * GiB) -> Memory:
    files = {f"{BASE}/memory{number}/state": word for number, word in enumerate(states)}
    return blocks.look(plant(tmp_path, changes={**files, "/proc/meminfo": f"MemTotal: {total // KiB} kB"}))


def told(before: Memory, now: Memory) -> list[str]:
    return [warning.message for warning in changed(before.state, lambda: now)]


def test_blocks_that_are_online_are_counted(tmp_path: Path) -> None:
    assert tree(tmp_path, "online", "offline", "going-offline", "online", FORBIDDEN) == Memory(16 * GiB, 2)


def test_facts_that_the_kernel_does_not_show_are_unknown(tmp_path: Path) -> None:
    assert blocks.look(plant(tmp_path)) == Memory(None, None)


def test_many_blocks_are_not_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST", 2)
    assert tree(tmp_path, "online", "online", "online") == Memory(16 * GiB, None)


def test_the_state_of_a_machine_has_both(tmp_path: Path) -> None:
    tree(tmp_path, "online", "online")
    found = state(plant(tmp_path))
    assert (found[TOTAL], found[BLOCKS]) == (16 * GiB, 2)


def test_a_block_that_went_offline_is_reported_with_both_totals() -> None:
    assert told(Memory(16 * GiB, 8), Memory(14 * GiB, 7)) == [
        "1 memory block went offline during the run; the kernel managed 16 GiB at the start, 14 GiB at the end"
    ]


def test_blocks_that_came_online_and_a_balloon_are_reported() -> None:
    assert told(Memory(None, 8), Memory(None, 16)) == ["8 memory blocks went online during the run"]
    assert told(Memory(16 * GiB, 8), Memory(12 * GiB, 8)) == [
        "the kernel managed 16 GiB at the start, 12 GiB at the end"
    ]


def test_nothing_is_reported_where_nothing_changed_or_nothing_is_known() -> None:
    same = Memory(16 * GiB, 8)
    assert told(same, same) == []
    assert told(same, Memory(16 * GiB - 4 * KiB, 8)) == []  # the kernel itself releases pages
    assert told(Memory(None, None), same) == []
    assert told(same, Memory(None, None)) == []
    assert changed({}, lambda: pytest.fail("a run without these facts asks for nothing")) == ()


def test_the_warning_is_stored_with_the_run_after_what_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_in(tmp_path, monkeypatch)
    end = Warn(code="memory", message="1 memory block went offline", next_step="repeat the run")
    made = runner.Runner.__init__

    def with_end(self: runner.Runner, *words: object) -> None:
        made(self, *words)  # type: ignore[arg-type]
        self.ending = lambda: (end,)

    monkeypatch.setattr(runner.Runner, "__init__", with_end)
    result = lab(plan_of(point(group("copy"), minimum_s=0.2, budget_s=1.0)))
    assert result.warnings[-1] == end
    assert result.complete
