"""The output of the doctor: worst first, in 80 columns, commands that can be pasted."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tierscope.doctor import examine
from tierscope.doctor.check import EVERY
from tierscope.doctor.text import show
from tierscope.record.result import Finding
from trees import plant


def printed(findings: tuple[Finding, ...], width: int = 80) -> str:
    stream = io.StringIO()
    show(findings, Console(file=stream, width=width, no_color=True))
    return stream.getvalue()


def finding(name: str, verdict: str, **fields: object) -> Finding:
    known = {"state": "so", "touches": (), "effect": "", "remedy": "", **fields}
    return Finding(name=name, verdict=verdict, **known)  # type: ignore[arg-type]


MIXED = (finding("alpha", "good"), finding("beta", "unknown"), finding("gamma", "bad"), finding("delta", "note"))


def test_the_worst_is_first_and_the_good_share_the_end() -> None:
    text = printed(MIXED)
    assert [text.index(name) for name in ("gamma", "delta", "beta", "alpha")] == sorted(
        text.index(finding.name) for finding in MIXED
    )
    assert text.splitlines()[0].strip() == "1 BAD, 1 note, 1 ?, 1 ok"


@pytest.mark.parametrize("machine", ["", "firecracker_guest", "xeon_server", "epyc_container", "arm_guest"])
@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_fits_the_terminal_and_never_80_columns_are_passed(tmp_path: Path, machine: str, width: int) -> None:
    found = examine(plant(tmp_path, machine))
    text = printed(found, width)
    assert max(len(line) for line in text.splitlines()) <= min(width, 80)
    assert all(each.name in text for each in found)


def test_a_long_command_is_broken_so_that_a_shell_joins_it() -> None:
    remedy = "echo performance | sudo tee " + "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    lines = [line.strip() for line in printed((finding("a", "bad", remedy=remedy),)).splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("$ "))
    assert lines[start].endswith(" \\")
    joined = lines[start].removesuffix("\\") + lines[start + 1]
    assert joined == f"$ {remedy}"


def test_an_effect_is_reported_with_the_results_it_touches_unless_nothing_is_known() -> None:
    every = EVERY
    assert "all results: slow" in printed((finding("a", "bad", touches=every, effect="slow"),))
    assert "stream: slow" in printed((finding("a", "note", touches=("stream",), effect="slow"),))
    assert "slow" not in printed((finding("a", "unknown", touches=every, effect="slow"),))


def test_brackets_in_a_state_are_not_markup() -> None:
    assert "[red]x[/red]" in printed((finding("a", "bad", state="[red]x[/red]"),))


def test_no_findings_are_not_a_fault() -> None:
    assert "0 BAD" in printed(())
