"""A simulated machine made from what was measured: caches, memory and words of where each number is from."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from made import FOOTPRINTS, Maker, add_latency, add_stream
from made_machine import made_machine, with_lines
from made_tlb import add_tlb
from tierscope.errors import UsageError
from tierscope.record.machine import Cache, Machine
from tierscope.simulated import fetch
from tierscope.simulated.measured import from_rows
from tierscope.simulated.preset import preset, text
from tierscope.stats.cyclic import Shape, distance, fitted, latency, missing, widened
from tierscope.stats.median import Interval
from tierscope.suites.latency.findings import fetches_pairs
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.tlb.table_levels import TlbLevelsRow
from tierscope.units import KiB, MiB, parse_bytes

SIZES = np.array([KiB * 2 ** (step / 4) for step in range(8, 80)])
MEMORY_S = 120e-9
L1 = Shape(1.7e-9, 48 * KiB, 12)
L2 = Shape(5.4e-9, 2 * MiB, 16, "nru")


def rows_of(latency_s: list[float]) -> list[LatencyRow]:
    return [
        LatencyRow(
            footprint_bytes=round(size), page_bytes=2 * MiB, latency=Interval(time, time, time, 60), order="global",
            probe="cycle", pages="thp", target="node:0", locality_bytes=0, element_bytes=64, conclusive=True,
            reasons=(), blocks=60, left_out_share=0.0, origin="real",
        )
        for size, time in zip(SIZES, latency_s, strict=True)
    ]  # fmt: skip


def told(directory: Path, machine: Machine | None = None, *, stream: bool = False, tlb: bool = False) -> dict[str, Any]:
    maker = Maker(directory)
    add_latency(maker)
    if stream:
        add_stream(maker, ("read",))
    if tlb:
        add_tlb(maker, pages="2m")
    return tomllib.loads(preset([maker.save("latency", machine)], "mine"))


def test_a_cycle_that_fits_misses_nothing_and_one_far_beyond_always() -> None:
    for policy in ("lru", "nru", "random"):
        shares = missing(Shape(1e-9, MiB, 16, policy), np.array([0.5 * MiB, 1.0 * MiB, 8.0 * MiB]))
        assert shares[:2] == pytest.approx([0, 0])
        assert shares[2] == pytest.approx(1, abs=0.01)


def test_lru_is_the_sharpest_knee_and_random_the_softest() -> None:
    at = np.array([1.25 * MiB])
    lru, nru, random = (float(missing(Shape(1e-9, MiB, 16, p), at)[0]) for p in ("lru", "nru", "random"))
    assert lru == 1
    assert 1 > nru > random > 0


def test_one_way_misses_always_as_soon_as_two_lines_meet() -> None:
    for policy in ("lru", "nru", "random"):
        assert missing(Shape(1e-9, MiB, 1, policy), np.array([2.0 * MiB]))[0] == pytest.approx(1)


@pytest.mark.parametrize("policy", ["lru", "nru", "random"])
def test_the_fit_finds_the_size_and_the_policy_that_were_put_in(policy: str) -> None:
    truth = (L1, Shape(5.4e-9, 1.5 * MiB, 16, policy))
    begin = [L1, Shape(5.4e-9, 1.9 * MiB, 16)]
    times = latency(truth, MEMORY_S, SIZES)
    found = fitted(begin, MEMORY_S, SIZES, times)
    assert distance(found, MEMORY_S, SIZES, times) < 0.001
    assert found[1].size_bytes == pytest.approx(1.5 * MiB, rel=0.1)
    assert found[1].policy == policy


def test_a_reported_size_is_kept_only_if_it_fits() -> None:
    for size, stands in ((2 * MiB, True), (1 * MiB, False)):
        times = latency((L1, Shape(5.4e-9, size, 16)), MEMORY_S, SIZES)
        found = fitted([L1, Shape(5.4e-9, size, 16, reported_bytes=2 * MiB)], MEMORY_S, SIZES, times)
        assert (found[1].size_bytes == 2 * MiB) is stands


def test_a_level_without_a_plateau_is_added_only_where_there_is_one() -> None:
    three = (L1, L2, Shape(34e-9, 4 * MiB, 16))
    assert len(widened((L1, L2), MEMORY_S, SIZES, latency(three, MEMORY_S, SIZES), 16)) == 3
    assert widened((L1, L2), MEMORY_S, SIZES, latency((L1, L2), MEMORY_S, SIZES), 16) == (L1, L2)


def test_footprints_that_were_left_out_are_predicted() -> None:
    truth = latency((L1, L2, Shape(34e-9, 8 * MiB, 15)), MEMORY_S, SIZES)
    found = from_rows(rows_of(list(truth))[::2], made_machine(), "made", "a run")
    beside = latency(found.shapes, found.memory_s, SIZES)[1::2] / truth[1::2]
    assert np.median(np.abs(beside - 1)) < 0.01
    assert np.mean(np.abs(beside - 1) < 0.1) > 0.9


def test_the_file_contains_the_caches_and_a_memory_behind_them(tmp_path: Path) -> None:
    found = told(tmp_path)
    assert found["name"] == "mine"
    assert "measured" in found["source"]
    assert found["cpu"]["count"] == 2
    times = [float(cache["latency"].removesuffix("ns")) for cache in found["cache"]]
    assert times == sorted(times)
    assert found["cache"][0]["shared"] == 1
    memory = found["memory"][found["default"]]
    assert memory["kind"] == "flat"
    assert float(memory["read"].removesuffix("ns")) > 0


def test_the_cache_of_instructions_is_the_reported_one_else_a_usual_one() -> None:
    def section(*caches: Cache) -> dict[str, Any]:
        machine = made_machine(2)
        machine = replace(machine, identity=replace(machine.identity, caches=caches))
        return tomllib.loads("\n".join(fetch.section(machine)))["core"]["fetch"]

    own = Cache(level=1, kind="Instruction", size_bytes=64 * KiB, ways=16, line_bytes=64, cpus=(0,))
    assert section(own) == {"size": "64KiB", "ways": 16, "ahead": fetch.AHEAD}
    assert section(replace(own, ways=0))["ways"] == 8
    assert section(replace(own, size_bytes=36 * KiB, ways=5)) == {"size": "36KiB", "ways": 8, "ahead": fetch.AHEAD}
    assert section(replace(own, kind="Data")) == section() == {"size": "32KiB", "ways": 8, "ahead": fetch.AHEAD}


def test_top_level_keys_come_before_all_tables(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    lines = preset([maker.save("latency")]).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("["))
    assert lines.index('default = "memory"') < first


def test_an_unmeasured_value_is_a_comment_and_not_a_key(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    words = preset([maker.save("latency")])
    found = tomllib.loads(words)
    assert "loads" not in found["cpu"]
    assert "bandwidth" not in found["memory"]["memory"]
    assert "tlb" not in found
    assert words.count("not measured") == 2


@pytest.mark.parametrize("line", [128, 256])
def test_sizes_are_whole_sets_of_the_machines_lines(tmp_path: Path, line: int) -> None:
    found = told(tmp_path, with_lines(made_machine(), line))
    assert found["cpu"]["line"] == f"{line}B"
    for cache in found["cache"]:
        assert parse_bytes(cache["size"]) % (line * cache["ways"]) == 0


def test_a_second_level_that_fetches_pairs_does_so_in_the_file(tmp_path: Path) -> None:
    assert [cache.get("pair") for cache in told(tmp_path)["cache"]][:2] == [None, True]


@pytest.mark.parametrize(("over", "wide", "fetches"), [(0.55, 0.01, True), (0.8, 0.01, False), (0.55, 0.5, False)])
def test_pairs_are_fetched_only_where_their_latency_is_clearly_lower(over: float, wide: float, fetches: bool) -> None:
    (single,) = (replace(row, conclusive=False) for row in rows_of([MEMORY_S] * SIZES.size)[-1:])
    middle = over * MEMORY_S
    pair = replace(single, order="pair", latency=Interval(middle / (1 + wide), middle, middle * (1 + wide), 60))
    assert fetches_pairs([single, pair]) == fetches
    assert not fetches_pairs([single])


def test_bandwidth_of_one_thread_becomes_lines_in_flight(tmp_path: Path) -> None:
    found = told(tmp_path, stream=True)
    assert found["cpu"]["loads"] > 1
    assert found["memory"]["memory"]["bandwidth"].endswith("GB/s")


def test_the_tlb_of_the_staircases_pages_is_reported(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    add_tlb(maker, pages="4k")
    assert "tlb" not in tomllib.loads(preset([maker.save("latency")]))  # of 4 KiB pages; the staircase has others


def tlb_row(level: str, extra_s: float) -> TlbLevelsRow:
    return TlbLevelsRow(
        target="node:0", page_bytes=2 * MiB, level=level, extra=Interval(extra_s, extra_s, extra_s, 60),
        most_pages=1024, origin="real",
    )  # fmt: skip


def tlb_told(**changes: object) -> dict[str, Any]:
    """The preset of a staircase on 4 KiB pages with three rows of a TLB; changes: to the first level."""
    sized = [
        {"certain": True, "entries": 8.2, "entries_low": 8.0, "entries_round": 8, "reach_bytes": 8 * 2 * MiB},
        {"certain": False, "entries": 450.0, "entries_low": 400.0, "reach_bytes": 450 * 2 * MiB},
    ]
    rows = [
        replace(tlb_row("1", 0.0), **(sized[0] | changes)),
        replace(tlb_row("2", 6.7e-9), **sized[1]),
        tlb_row("beyond", 9e-9),
    ]
    curve = rows_of(list(latency((L1, L2), MEMORY_S, SIZES)))
    return tomllib.loads(text(from_rows(curve, made_machine(), "made", "a run", tlb=rows)))


def test_pages_that_are_translated_in_parts_have_entries_of_these() -> None:
    assert tlb_told()["pages"]["bytes"] != "4KiB"
    assert tlb_told(part_bytes=4 * KiB)["pages"]["bytes"] == "4KiB"


def test_a_level_that_may_be_none_is_the_walk() -> None:
    found = tlb_told()
    assert [level["entries"] for level in found["tlb"]] == [8]
    assert float(found["walk"]["base"].removesuffix("ns")) == pytest.approx(6.7 - 1.7, abs=0.1)


def test_a_level_smaller_than_all_that_was_touched_has_one_entry_less() -> None:
    assert tlb_told(entries=2.0, entries_low=0.0, entries_round=None)["tlb"][0]["entries"] == 1


def test_cpus_that_share_a_cache_divide_the_number_of_cpus(tmp_path: Path) -> None:
    found = told(tmp_path, made_machine(cpus=6))
    near = 1
    for cache in found["cache"]:
        assert 6 % cache["shared"] == 0
        assert cache["shared"] % near == 0
        near = cache["shared"]


def test_odd_names_are_quoted(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    name = 'a "quoted"\nname \\ with \x7f'
    assert tomllib.loads(preset([maker.save("latency")], name))["name"] == name.replace("\x7f", "")


def test_a_run_without_a_staircase_is_refused_with_what_to_measure(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stream(maker, ("read",))
    with pytest.raises(UsageError, match="tierscope run latency"):
        preset([maker.save("stream")])


def test_a_staircase_that_does_not_reach_memory_is_refused(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, FOOTPRINTS[:6])
    with pytest.raises(UsageError, match="does not reach memory"):
        preset([maker.save("latency")])


def test_a_preset_made_of_simulated_runs_is_marked(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    run = maker.save("latency")
    result = msgspec.structs.replace(run.result, origin="simulated", origin_by="made, memory flat")
    found = tomllib.loads(preset([msgspec.structs.replace(run, result=result)]))
    assert found["source"].startswith("simulated by made, memory flat: ")
    assert found["summary"].endswith("as simulated by made, memory flat")
    assert tomllib.loads(preset([run]))["source"].startswith("measured: ")


def test_runs_of_two_machines_are_refused(tmp_path: Path) -> None:
    runs = []
    for cpus in (2, 4):
        maker = Maker(tmp_path / str(cpus))
        add_latency(maker)
        runs.append(maker.save("latency", made_machine(cpus=cpus)))
    with pytest.raises(UsageError, match="of 2 machines"):
        preset(runs)


def test_text_of_what_was_found_is_read_back_the_same() -> None:
    truth = latency((L1, L2), MEMORY_S, SIZES)
    found = from_rows(rows_of(list(truth)), made_machine(), "made", "a run")
    levels = tomllib.loads(text(found))["cache"]
    assert [level["policy"] for level in levels] == [shape.policy for shape in found.shapes]
    assert [level["ways"] for level in levels] == [shape.ways for shape in found.shapes]
