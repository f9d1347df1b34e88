"""The top of a page: the numbers that it picks, and its text for the unknown."""

import dataclasses
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from made_machine import made_machine
from reported import changed, retold, small_run, subset
from tierscope.draw import cells, words
from tierscope.errors import ResultError
from tierscope.normal.band import FEWEST
from tierscope.normal.entry import Entry, entry_of
from tierscope.printable import printable
from tierscope.record import result as results
from tierscope.record.result import Finding, Run
from tierscope.report import commands
from tierscope.report.content import Content, gather, ranked, touching
from tierscope.report.formats.html import render
from tierscope.report.picks import fastest
from tierscope.report.provenance import experiments, state_facts
from tierscope.report.top import usual
from tierscope.report.top.bounds import QUESTION
from tierscope.report.top.brief import begun
from tierscope.report.top.memory import memory_of
from tierscope.report.top.shown import LENGTH, line_of, value_of
from tierscope.report.top.top import top
from tierscope.stats.visited import BETWEEN, ONCE
from tierscope.tables import Column, Flat
from tierscope.tables.column import Shown


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


def finding(name: str, verdict: str, touches: tuple[str, ...] = ("stream",)) -> Finding:
    return Finding(name=name, state="s", verdict=verdict, touches=touches, effect="", remedy="do it")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sim:blank,seed=3 has no buffer", "sim:blank,seed=3 has no buffer"),
        ("node:0 is slow", "node:0 is slow"),
        ("store nt: no unit shows", "Store nt: no unit shows"),
        ("store: no unit shows", "Store: no unit shows"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_letter_unless_a_target_begins_it(text: str, said: str) -> None:
    assert begun(text) == said


def test_the_best_kernel_over_all_threads_is_named_with_its_interval(run: Run) -> None:
    speed = fastest(gather(run))
    assert speed is not None
    assert (speed.row.kernel, speed.row.threads) == ("copy_nt", 2)
    key = top(gather(run)).keys[0]
    assert (key.name, key.low, key.high) == ("copy_nt, all CPUs", speed.bandwidth.low, speed.bandwidth.high)


@pytest.mark.parametrize(("origin", "visited", "stated"), [("real", 1, True), ("real", 0, False), ("made", 1, False)])
def test_the_top_states_how_many_seconds_its_intervals_contain(
    run: Run, origin: str, visited: int, stated: bool
) -> None:
    visit = msgspec.structs.replace(run.result.records[0], visit=1, tour=1, seconds=60.0)
    result = msgspec.structs.replace(run.result, visits=(visit,) * visited, origin=origin)
    content = dataclasses.replace(gather(run), run=msgspec.structs.replace(run, result=result))
    said = next(one.text for one in top(content).answers if one.question == "How sure?")
    seconds = 60 + sum(record.seconds for record in run.result.records)
    assert (f"within the {seconds:.0f} s of this run" in said) == stated


def test_a_headline_never_rests_on_a_doubtful_number(run: Run) -> None:
    def told(*kernels: str) -> Content:
        return retold(
            gather(run), lambda table, row: row | {"conclusive": row["kernel"] in kernels} if table == "stream" else row
        )

    content = told("copy", "memset")
    speed = fastest(content)
    assert speed is not None
    assert speed.row.kernel == "copy"
    assert "copy_nt measured higher, but is inconclusive." in top(content).lines
    content = told("copy")  # the best of a few is not the best
    assert fastest(content) is None
    assert "copied" not in top(content).lead


def busy(run: Run, when: Callable[[str], bool]) -> Content:
    """The content of a run whose machine was busy in some tables, and at rest in the others."""
    return retold(gather(run), lambda table, row: _judged(row, not when(table), "the machine is busy"))


def _judged(row: Flat, conclusive: bool, why: str) -> Flat:
    return row | {"conclusive": conclusive, "reasons": "" if conclusive else why} if "conclusive" in row else row


def test_a_mostly_inconclusive_run_reports_that_first_with_the_reason(run: Run) -> None:
    said = top(busy(run, lambda table: True))
    assert said.lead == "This run shows nothing yet: the machine is busy."
    assert said.keys == ()
    assert said.answers[0].short.startswith("Not known: ")
    sure = said.answers[-1]
    assert sure.short.startswith("Not yet: 0 of ")
    assert "points are inconclusive: the machine is busy." in sure.text
    assert said.steps[0].text.endswith("repeat it on a quiet machine (tierscope doctor).")
    assert said.steps[0].command.startswith("tierscope rerun ")


def test_conclusive_numbers_come_first(run: Run) -> None:
    said = top(busy(run, lambda table: table != "stream"))
    copied = "Memory: 56.1 GB/s copied. Two CPUs cannot fill this memory."
    assert said.lead == f"{copied} This run shows little else: the machine is busy."
    assert said.answers[-1].short.startswith("Not yet: 1 of 3 key numbers, ")
    assert {key.name for key in said.keys} == {"copy_nt, all CPUs"}


def test_a_few_conclusive_points_are_not_denied_where_no_sentence_names_them(run: Run) -> None:
    content = retold(gather(run), lambda table, row: _judged(row, row.get("kernel") == "copy", "the machine is busy"))
    rows = [row for section in content.sections.values() for row in section.judged]
    assert fastest(content) is None
    assert 0 < sum(bool(row["conclusive"]) for row in rows) < len(rows) / 2
    assert top(content).lead == "This run shows little yet: the machine is busy."


def test_the_highest_copy_is_a_key_number_although_most_of_its_table_is_inconclusive(run: Run) -> None:
    """No row of copies measured more, so that no other one can be the best."""
    content = retold(
        gather(run), lambda table, row: _judged(row, row.get("kernel") == "copy_nt", "the machine is busy")
    )
    found = top(content)
    assert found.lead.startswith("Memory: 56.1 GB/s copied.")
    assert "copy_nt, all CPUs" in {key.name for key in found.keys}


WIDE = f"interval ±14.4 % over 2 %{BETWEEN}"


def test_a_machine_that_changes_has_ranges_in_its_headline_and_no_single_number(run: Run) -> None:
    content = retold(gather(run), lambda table, row: _judged(row, False, WIDE))
    said = top(content).lead
    assert re.match(r"Memory: [\d.]+ to [\d.]+ GB/s copied with 2 threads, [\d.]+ to [\d.]+ ns idle at 1 GiB, ", said)
    assert said.endswith("This is less precise than asked for: the machine changes from visit to visit.")
    keys = top(content).keys
    assert [key.name for key in keys] == ["copy_nt, 2 threads", "idle latency", "latency under load"]
    assert all(re.fullmatch(r"[\d.]+ (GB/s|ns) to [\d.]+ (GB/s|ns)", value_of(key)) for key in keys)
    assert {key.verdict for key in keys} == {"wider than asked for"}


def test_ranges_follow_the_numbers_that_are_known(run: Run) -> None:
    content = retold(gather(run), lambda table, row: _judged(row, table == "stream", WIDE))
    found = top(content)
    start = "Memory: 56.1 GB/s copied. Two CPUs cannot fill this memory. Less precise than asked for: "
    assert found.lead.startswith(start)
    assert "ns idle at 1 GiB" in found.lead
    assert [key.rough for key in found.keys] == [False, True, True]
    sure = found.answers[-1]
    assert sure.short.startswith("Not yet: 1 of 3 key numbers")
    exact = found.keys[0]
    assert exact.low is not None
    assert exact.high is not None
    half = 100 * (exact.high - exact.low) / 2 / exact.value
    assert f"Key numbers are within ±{max(half, 0.1):.1f} %." in sure.text


@pytest.mark.parametrize("doubt", ["not steady: still falling", ONCE])
def test_a_number_with_another_doubt_is_in_no_range(run: Run, doubt: str) -> None:
    """The commonest doubt is the width, but the rows of bandwidth have another one, too."""
    said = top(retold(
        gather(run), lambda table, row: _judged(row, False, f"{WIDE}; {doubt}" if table == "stream" else WIDE)
    )).lead  # fmt: skip
    assert "GB/s copied" not in said
    assert "ns idle" in said


def test_memory_is_the_largest_footprint_with_the_largest_pages(run: Run) -> None:
    found = memory_of(gather(run))
    assert found is not None
    wait = found.idle
    assert wait is not None
    assert (wait.row.footprint_bytes, wait.row.page_bytes) == (1 << 30, 2 << 20)


def test_an_unknown_peak_gives_no_share(tmp_path: Path) -> None:
    said = top(gather(small_run(tmp_path, peak=None)))
    assert not any("peak" in key.about for key in said.keys)
    assert "theoretical peak" not in said.answers[0].text


def test_more_than_the_peak_is_not_a_headline(tmp_path: Path) -> None:
    said = top(gather(small_run(tmp_path, peak=10e9)))
    assert any(line.startswith("More than the theoretical peak was measured") for line in said.lines)
    assert said.answers[0].short == "Not known: more than the theoretical peak was measured"
    assert "cannot fill" not in said.lead


def test_inconclusive_points_are_counted(run: Run) -> None:
    numbers = itertools.count()
    one = retold(gather(run), lambda _, row: _judged(row, "conclusive" not in row or next(numbers) > 0, "it moved"))
    rows = [row for section in one.sections.values() for row in section.judged]
    sure = top(one).answers[-1]
    assert sure.short == f"Sure: {len(rows) - 1} of {len(rows)} points"
    assert f"1 of {len(rows)} points is inconclusive: it moved." in sure.text
    none = retold(gather(run), lambda _, row: _judged(row, True, ""))
    assert top(none).answers[-1].short == f"Sure: all {len(rows)} points"


def test_an_incomplete_run_is_never_sure(run: Run) -> None:
    def said(run: Run) -> str:
        return next(one.short for one in top(gather(run)).answers if one.question == QUESTION)

    half = Run(path=run.path, result=msgspec.structs.replace(run.result, complete=False))
    assert "Sure" in said(run) or "points" in said(run)
    assert said(half).startswith("Not yet: the run is incomplete")


def test_the_limit_follows_from_the_scaling(run: Run) -> None:
    said = top(gather(run))
    assert said.answers[0].short == "The two CPUs, not the memory: each adds its full bandwidth"
    assert said.lead.endswith("Two CPUs cannot fill this memory.")


@pytest.mark.parametrize(("size", "small"), [(8 << 20, True), (1 << 30, False)])
@pytest.mark.parametrize("asked", [True, False])
def test_small_arrays_that_were_asked_for_are_not_called_memory(
    tmp_path: Path, size: int, small: bool, asked: bool
) -> None:
    """A size that the suite chose is beyond the cache that it found, however much the system reports."""
    made = subset(small_run(tmp_path), "stream")
    records = tuple(
        msgspec.structs.replace(
            one, groups=tuple(msgspec.structs.replace(facts, footprint_bytes=size) for facts in one.groups)
        )
        for one in made.result.records
    )
    said = top(gather(changed(made, records=records, options={"array": size} if asked else {})))
    assert said.lead.startswith("Arrays of 8 MiB, which may fit in the last-level cache") == (small and asked)
    assert said.lead.startswith("Memory: ") == (not small or not asked)
    assert said.answers[0].short.startswith("Not known: these are arrays of 8 MiB") == (small and asked)
    assert ("cannot fill" in said.lead) == (not small or not asked)


def test_numbers_of_two_memories_are_not_mixed(run: Run) -> None:
    content = retold(gather(run), lambda table, row: row | {"target": "node:1"} if table == "latency" else row)
    found = memory_of(content)
    assert found is not None
    assert found.target == "node:0"
    assert found.idle is None
    assert "idle" not in top(content).lead


def test_the_worst_finding_with_a_remedy_is_a_step(tmp_path: Path) -> None:
    findings = (finding("mild", "note"), finding("odd", "unknown"), finding("awful", "bad"), finding("fine", "good"))
    run = changed(subset(small_run(tmp_path), "stream"), findings=findings)
    steps = [step.text for step in top(gather(run)).steps]
    assert "Doctor: awful: s. Its effect on this run was not measured." in steps
    assert not any("mild" in step or "odd" in step for step in steps)
    assert [f.name for f in ranked(findings)] == ["awful", "odd", "mild", "fine"]
    assert [f.name for f in touching(run, "stream")] == ["awful", "odd", "mild"]
    assert touching(run, "latency") == ()


def test_a_run_of_loaded_latency_alone_has_a_headline(tmp_path: Path) -> None:
    lead = top(gather(subset(small_run(tmp_path), "loaded_latency"))).lead
    assert lead.startswith("Memory: an access takes ")
    assert " at 3" in lead


def test_key_numbers_are_six_at_most_and_steps_three(run: Run) -> None:
    said = top(gather(run))
    assert 0 < len(said.keys) <= 6
    assert len(said.steps) <= 3
    assert [step.gain for step in said.steps] == sorted((step.gain for step in said.steps), reverse=True)


@pytest.mark.parametrize(
    ("share", "name"),
    [(1.0, "all reads"), (0.75, "3:1"), (2 / 3, "2:1"), (0.6667, "2:1"), (0.5, "1:1"), (1 / 3, "1:2"),
     (0.0, "all writes"), (0.977, "98% reads")],
)  # fmt: skip
def test_mixes_have_the_names_of_the_field(share: float, name: str) -> None:
    assert words.mix_name(share) == name


def test_names_show_what_differs() -> None:
    assert words.load_name(0.5, "nt") == "1:1 nt"
    assert words.load_name(1.0, "none") == "all reads"
    assert words.load_name(None, "plain") == "unknown mix plain"
    assert words.probe_name("random", "global", 4096) == "4 KiB pages, random draws"
    assert words.probe_name("cycle", "page", None) == "mixed pages, cycle, page order"
    assert words.short_word("abcdef", 4) == "abc…"
    assert printable("a\x1b[31m\nb") == r"a\u001b[31m\u000ab"


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (53.5e9, Column("bandwidth_bytes_per_s", "bandwidth", "B/s"), "53.50"),
        (1.2494e-9, Column("latency_s", "latency", "s"), "1.249"),
        (230.12e-9, Column("latency_s", "latency", "s"), "230.1"),
        (12345e-9, Column("latency_s", "latency", "s"), "12345"),
        (0.0, Column("latency_s", "latency", "s"), "0"),
        (2 << 20, Column("page_bytes", "pages", "B"), "2 MiB"),
        (0.1742, Column("peak_share", "share of peak", "1", shown=Shown.PERCENT), "17.4"),
        (0.75, Column("read_share", "reads", "1"), "0.75"),
        (4, Column("streams", "streams", "1"), "4"),
        (True, Column("conclusive", "conclusive", ""), "yes"),
        (None, Column("bus", "bus", "B/s"), "–"),
        ("nt", Column("store", "stores", ""), "nt"),
    ],
)
def test_a_cell_shows_its_value_in_the_unit_of_its_head(value: object, column: Column, text: str) -> None:
    assert cells.cell(value, column) == text  # type: ignore[arg-type]


def test_a_head_names_the_unit_of_its_cells() -> None:
    assert cells.head(Column("bandwidth_bytes_per_s", "bandwidth", "B/s")) == "bandwidth, GB/s"
    assert cells.head(Column("latency_s", "latency", "s")) == "latency, ns"
    assert cells.head(Column("peak_share", "share of peak", "1", shown=Shown.PERCENT)) == "share of peak, %"
    assert cells.head(Column("kernel", "kernel", "")) == "kernel"


def test_the_repeated_command_is_the_one_that_was_typed(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    assert commands.typed(run) == "tierscope run quick"
    assert commands.alone(run, "latency")[0] == ("This alone:", "tierscope run latency")
    assert [label for label, _ in commands.alone(run, "groups")] == ["Repeat it:"]


def test_the_repeated_command_names_no_place_for_results(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    argv = (
        "/usr/local/bin/tierscope",
        "run",
        "my groups.toml",
        "--out",
        "/tmp/a",
        "--json=-",
        "precision=0.01",
        "--strict",
    )
    results.save_manifest(tmp_path, msgspec.structs.replace(results.load_manifest(tmp_path), argv=argv))
    assert commands.typed(run) == "tierscope run 'my groups.toml' precision=0.01 --strict"
    assert commands.changed(run, {"visits": "8"}) == "tierscope run 'my groups.toml' precision=0.01 --strict visits=8"
    told = commands.changed(run, {"precision": "1", "limit": "9s"})
    assert told == "tierscope run 'my groups.toml' --strict precision=1 limit=9s"


def test_without_a_manifest_the_options_make_the_command(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    (tmp_path / "manifest.json").unlink()
    assert commands.typed(run) == "tierscope run quick precision=0.02"


def test_the_state_of_the_machine_has_units() -> None:
    state = {"available_bytes": 1 << 30, "clock_hz_max": 2.0e9, "governor": None, "load_1min": 0.98459}
    machine = msgspec.structs.replace(made_machine(), state=state)
    assert dict(state_facts(machine)) == {
        "available bytes": "1 GiB", "clock hz max": "2.000 GHz", "governor": "unknown", "load 1min": "0.9846",
    }  # fmt: skip


def test_pages_and_nodes_are_shares_the_largest_first(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    record = run.result.records[0]
    mixed = {str(4 << 10): 1 << 20, str(2 << 20): 3 << 20}
    facts = msgspec.structs.replace(record.groups[0], pages=mixed, nodes={"0": 4 << 20}, prefetch_bytes=512, streams=4)
    changed_record = msgspec.structs.replace(record, groups=(facts,))
    (row, *_) = experiments(changed(run, records=(changed_record,)))
    assert row["pages"] == "2 MiB 75 %, 4 KiB 25 %"
    assert row["nodes"] == "node 0 100 %"
    assert row["variant"] == "plain stores, 4 streams, unroll 1, prefetch 512 B"


def similar(run: Run, factors: tuple[float, ...]) -> list[Entry]:
    """Machines of the same kind, each by a factor faster than this one in all numbers."""
    own = entry_of(run)
    return [
        msgspec.structs.replace(
            own,
            machine=f"{index:012x}",
            numbers=tuple(
                msgspec.structs.replace(one, value=one.value * scale, low=one.low * scale, high=one.high * scale)
                for one in own.numbers
                for scale in (1 / factor if one.unit == "s" else factor,)
            ),
        )
        for index, factor in enumerate(factors)
    ]


@pytest.mark.parametrize(
    ("factors", "short", "verdict"),
    [
        ((0.97, 0.98, 0.99, 1.0, 1.0, 1.01, 1.02, 1.03), "Yes, compared", "normal"),
        ((1.9, 1.95, 2.0, 2.05, 2.1), "No: ", "low"),
        (
            (1.0, 1.04, 1.05, 1.06, 1.06, 1.07, 1.08, 1.09),
            "Yes, but slow",
            "low",
        ),  # most numbers are in the worst fifth
        ((0.9, 0.95, 1.0), "Not known", "not known"),
    ],
)
def test_a_key_number_is_judged_by_the_band_of_similar_machines(
    run: Run, monkeypatch: pytest.MonkeyPatch, factors: tuple[float, ...], short: str, verdict: str
) -> None:
    monkeypatch.setattr(usual, "known", lambda: similar(run, factors))
    found = top(gather(run))
    assert found.answers[1].short.startswith(short)
    key = found.keys[0]
    assert key.band is not None
    assert (key.verdict, key.band.machines) == (verdict, len(factors))
    line = line_of(key)
    assert line is not None
    if len(factors) < FEWEST:
        assert (line.low, line.high, len(line.others)) == (None, None, len(factors))
        assert line.text.endswith("all 3 similar machines")
        return
    assert line.low is not None
    assert line.high is not None
    assert 0 < line.low < line.high < LENGTH
    assert (line.value < line.low) == (verdict == "low")


def test_one_similar_machine_is_a_point_and_no_band(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usual, "known", lambda: similar(run, (3.0,)))
    content = gather(run)
    key = top(content).keys[0]
    line = line_of(key)
    assert line is not None
    assert (line.low, line.high, len(line.others), key.verdict, key.mark) == (None, None, 1, "not known", "")
    assert line.text.endswith(", the one similar machine")
    assert top(content).answers[1].short == "Not known"
    drawn = render(content)
    assert drawn.count('<rect class="other"') == drawn.count(", the one similar machine</span>") > 0
    assert '<rect class="band"' not in drawn


def test_a_reference_set_that_cannot_be_read_leaves_the_rest(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[Entry]:
        raise ResultError("normal.json is not a reference set")

    monkeypatch.setattr(usual, "known", broken)
    found = top(gather(run))
    assert found.answers[1].short == "Not known: the reference set cannot be read"
    assert found.keys
