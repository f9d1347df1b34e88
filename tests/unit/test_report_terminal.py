"""The terminal: 80 columns, no colour needed, units in sight, nothing that steers it."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from made import Maker, Teamwork, one_group
from reported import changed, evil_run, small_run, subset
from tierscope.draw import braille, forms
from tierscope.draw.braille import Axis, Curve
from tierscope.record.result import Run
from tierscope.report.terminal import show
from tierscope.units import MiB


class Ascii(io.StringIO):
    """A terminal without Unicode."""

    @property
    def encoding(self) -> str:
        return "ascii"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


def shown(run: Run, *, width: int = 80, file: io.StringIO | None = None, colour: bool = False) -> str:
    file = file or io.StringIO()
    system = "256" if colour else None
    show(run, Console(file=file, width=width, force_terminal=colour, color_system=system))  # type: ignore[arg-type]
    return file.getvalue()


def test_no_line_is_wider_than_eighty_columns(run: Run) -> None:
    assert max(len(line) for line in shown(run).splitlines()) <= 80


def test_without_colour_there_is_no_escape(run: Run) -> None:
    assert "\x1b" not in shown(run)


def test_colour_changes_nothing_but_colour(run: Run) -> None:
    coloured = shown(run, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == shown(run).split()


def test_every_table_names_its_unit_and_is_short(run: Run) -> None:
    text = shown(run)
    for head in ("Bandwidth, GB/s", "Latency, ns", "bandwidth, GB/s", "latency, ns", "Groups"):
        assert head in text
    assert len(text.splitlines()) < 120


def test_kernels_have_both_thread_counts_the_fastest_first(run: Run) -> None:
    lines = shown(run).splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("kernel"))
    assert "1 thread" in lines[head]
    assert "2 threads" in lines[head]
    assert [line.split()[0] for line in lines[head + 1 : head + 4]] == ["copy_nt", "copy", "memset"]


def test_curves_are_distinguished_by_letters(run: Run) -> None:
    text = shown(run)
    assert "a 2 MiB pages, cycle, global order   b 4 KiB pages, cycle, global order" in text
    assert "a all reads   b 1:1 nt" in text
    assert any(0x2800 < ord(letter) < 0x2900 for letter in text)


def test_a_terminal_without_unicode_gets_the_tables_alone(run: Run) -> None:
    text = shown(run, file=Ascii())
    assert "copy_nt" in text
    assert not any(0x2800 < ord(letter) < 0x2900 for letter in text)


def test_an_inconclusive_number_has_a_question_mark(tmp_path: Path) -> None:
    from made import Maker, Teamwork, one_group

    maker = Maker(tmp_path)
    group = one_group("copy", (0,), 1 << 30)
    maker.add("stream", {"kernel": "copy", "threads": 1}, (group,), (Teamwork((1e8,), noise=0.5),), count=60)
    line = next(line for line in shown(maker.save()).splitlines() if line.startswith("copy  "))
    assert " ?" in line


def test_another_origin_is_stated_first(tmp_path: Path) -> None:
    text = shown(changed(small_run(tmp_path), origin="simulated"))
    assert text.split("\n")[1].startswith("SIMULATED")


def test_names_cannot_steer_the_terminal_or_write_markup(tmp_path: Path) -> None:
    text = shown(evil_run(tmp_path))
    assert "\x1b" not in text
    assert "onerror" in text


def test_more_than_two_thread_counts_are_also_a_plot(tmp_path: Path) -> None:
    text = shown(small_run(tmp_path, threads=(1, 2, 3)))
    assert "a copy_nt   b copy   c memset" in text


def test_a_run_of_one_table_shows_it(tmp_path: Path) -> None:
    text = shown(subset(small_run(tmp_path), "latency"))
    assert "Latency, ns" in text
    assert "Bandwidth" not in text


def test_an_empty_run_is_reported_as_such(tmp_path: Path) -> None:
    assert "no finished experiment yet" in shown(changed(small_run(tmp_path), records=()))


def test_a_plot_has_the_asked_size_and_its_ticks() -> None:
    curve = Curve("one", [1.0, 10.0, 100.0], [1.0, 30.0, 900.0])
    x = Axis("footprint", log=True, ticks={1.0: "low", 100.0: "high", 1e6: "never"})
    lines = braille.plot([curve], x, Axis("ns", log=True), width=60, height=12).splitlines()
    assert max(map(len, lines)) <= 60
    assert len(lines) == 14
    assert lines[0] == "ns"
    assert lines[-1] == "a one"
    text = "\n".join(lines)
    assert "low" in text
    assert "high" in text
    assert "never" not in text
    assert "500" in text


def test_nothing_to_plot_is_nothing() -> None:
    assert braille.plot([Curve("none", [], [])], Axis("x"), Axis("y"), width=60) == ""


def test_a_point_without_a_number_is_left_out_and_not_drawn_at_zero() -> None:
    assert forms.in_ns(None) is None
    assert forms.in_gb(None) is None
    points = [(1.0, 2.0), (2.0, None), (None, 3.0), (4.0, 0.0)]
    assert forms.curve("a", points) == Curve("a", [1.0, 4.0], [2.0, 0.0])


def test_a_flat_curve_and_a_single_point_are_drawn() -> None:
    for curve in (Curve("flat", [1.0, 2.0], [5.0, 5.0]), Curve("point", [1.0], [1.0])):
        assert f"a {curve.label}" in braille.plot([curve], Axis("x"), Axis("y"), width=40)


@pytest.mark.parametrize(("share", "bar"), [(0.0, ""), (0.5, "⣿⣿"), (0.62, "⣿⣿⡇"), (1.0, "⣿⣿⣿⣿"), (7.0, "⣿⣿⣿⣿")])
def test_a_bar_is_as_long_as_its_share(share: float, bar: str) -> None:
    assert braille.bar(share, 4) == bar


def test_the_title_of_a_narrow_table_stays_on_one_line(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    group, work = one_group("read", (0,), 64 * MiB), Teamwork((3e8,))
    maker.add("stream", {"kernel": "read", "threads": 1}, (group,), (work,))
    lines = shown(maker.save("stream"), width=80).splitlines()
    assert "Bandwidth, GB/s (program bytes, 95 % interval)" in [line.strip() for line in lines]
