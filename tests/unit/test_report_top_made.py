"""Ten made runs, each with the top that an expert would write: the same values and causes, and no false cause."""

from pathlib import Path

import msgspec
import pytest

from made_machine import made_machine, made_server
from made_tops import content_of, load, pair, speed, stairs, wait
from tierscope.record.machine import Machine
from tierscope.record.result import Finding
from tierscope.report.top.parts import Top
from tierscope.report.top.top import top
from tierscope.tables import Row
from tierscope.units import KiB, MiB

CACHES = ((32 * KiB, 1.1), (512 * KiB, 4.0), (32 * MiB, 15.0))


def guest(cpus: int = 2, l3: int = 32 * MiB) -> Machine:
    """A guest whose last-level cache has this size, and whose peak is not known."""
    made = made_machine(cpus, None)
    caches = [msgspec.structs.replace(one, size_bytes=l3) if one.level == 3 else one for one in made.identity.caches]
    return msgspec.structs.replace(made, identity=msgspec.structs.replace(made.identity, caches=caches))


def quick(
    folder: Path, machine: Machine, *findings: Finding, pairs: list[Row] | None = None, **tables: list[Row]
) -> Top:
    """The top of a run of quick on a guest of two CPUs; tables: what is different."""
    rows: dict[str, list[Row]] = {
        "stream": [
            speed("read", 1, 27.1), speed("read", 2, 33.4), speed("write", 1, 20.0), speed("write", 2, 25.0),
            speed("copy", 2, 30.0), speed("copy_nt", 1, 34.0), speed("copy_nt", 2, 43.1),
        ],
        "latency": [*stairs(CACHES, 152.0), wait(512 * MiB, 160.0, page=4 * KiB)],
        "loaded_latency": [load(29.8, 188.0, 1.24)],
        "sharing": pairs or [],
    }  # fmt: skip
    found = {name: own for name, own in (rows | tables).items() if own}
    return top(content_of(folder, machine, found, findings))


def answer(found: Top, question: str) -> str:
    return next(one.short for one in found.answers if one.question == question)


def steps(found: Top) -> str:
    return " ".join(f"{step.text} {step.command}" for step in found.steps)


def test_quiet(tmp_path: Path) -> None:
    found = quick(tmp_path, guest(), pairs=[pair("own", "free", gain=1.5)] * 2)
    told = "Memory: 33.4 GB/s read, 43.1 GB/s copied, 152 ns idle."
    assert found.lead == f"{told} Two CPUs probably cannot fill this memory."
    assert answer(found, "What limits me?") == "Likely the two CPUs or their path, not the memory"
    evidence = found.answers[0].text
    assert "27.1 GB/s at 152 ns is 64 lines in flight." in evidence
    assert "1.24x idle (1.23 to 1.25)" in evidence
    assert answer(found, "Is it normal?") == "Not known: no similar machine"
    assert answer(found, "How sure?").startswith("Sure: all ")
    assert [key.name for key in found.keys] == [
        "read, all CPUs", "copy, non-temporal stores, all CPUs", "idle latency", "idle latency, small pages",
        "last-level cache", "latency at the highest load",
    ]  # fmt: skip


def test_busy(tmp_path: Path) -> None:
    stream: list[Row] = [speed("read", 2, 33.4, sure=False), speed("copy", 2, 30.0, sure=False)]
    waits: list[Row] = list(stairs(CACHES, 152.0, sure=False))
    found = quick(tmp_path, guest(), stream=stream, latency=waits, loaded_latency=[load(29.8, 188.0, 2.4, sure=False)])
    assert found.lead == "This run shows nothing yet: the machine is busy."
    assert answer(found, "What limits me?").startswith("Not known")
    assert answer(found, "How sure?").startswith("Not yet: 0 of ")
    assert found.keys == ()
    assert found.steps[0].command.startswith("tierscope rerun ")


def test_tiny_guest(tmp_path: Path) -> None:
    """One CPU: there is no loaded latency, and no statement on what more CPUs would get."""
    found = quick(tmp_path, guest(1), loaded_latency=[], stream=[speed("read", 1, 12.0), speed("copy", 1, 11.0)])
    assert found.lead == "Memory: 12 GB/s read, 11 GB/s copied, 152 ns idle."
    assert answer(found, "What limits me?") == "Not known: one CPU cannot show whether this memory has more to give"
    assert "12 GB/s at 152 ns is 29 lines in flight." in found.answers[0].text


def test_two_packages(tmp_path: Path) -> None:
    """The memory of one of several nodes, filled by the CPUs next to it."""
    machine = made_server(2, 2, 8)
    stream: list[Row] = [speed("read", 1, 20.0), speed("read", 8, 95.0), speed("copy_nt", 8, 90.0)]
    found = quick(tmp_path, machine, stream=stream, loaded_latency=[load(94.0, 310.0, 2.9, threads=7)])
    assert found.lead == (
        "Memory of node 0: 95 GB/s read, 90 GB/s copied, 152 ns idle. This memory, or the path to it, is full."
    )
    assert answer(found, "What limits me?").endswith("at the highest load an access takes 2.9x idle")


def test_cxl_node(tmp_path: Path) -> None:
    machine = made_server(1, 1, 8)
    nodes = list(machine.identity.nodes)
    far = msgspec.structs.replace(nodes[0], number=2, cpus=(), distances=(20,))
    identity = msgspec.structs.replace(machine.identity, nodes=(*nodes, far))
    where = "node:2"
    found = quick(
        tmp_path, msgspec.structs.replace(machine, identity=identity),
        stream=[speed("read", 1, 9.0, target=where), speed("read", 8, 22.0, target=where)],
        latency=list(stairs(CACHES, 260.0, target=where)),
        loaded_latency=[load(22.0, 900.0, 3.4, threads=7, target=where)],
    )  # fmt: skip
    assert found.lead.startswith("Memory of node 2, which has no CPUs: 22 GB/s read, 260 ns idle. ")
    assert answer(found, "What limits me?").startswith(
        "The memory, or the path to it: at the highest load an access takes 3.4x idle"
    )


def test_throttled(tmp_path: Path) -> None:
    """A clock that falls slows all alike: no cause is made up, and the doctor's remedy is a step."""
    slow = Finding(
        name="governor", state="powersave", verdict="bad", touches=("bandwidth",), effect="",
        remedy="sudo cpupower frequency-set -g performance",
    )  # fmt: skip
    found = quick(
        tmp_path, guest(), slow, loaded_latency=[],
        stream=[speed("read", 1, 9.0), speed("read", 2, 14.0), speed("copy_nt", 2, 13.0)],
    )  # fmt: skip
    assert found.lead == "Memory: 14 GB/s read, 13 GB/s copied, 152 ns idle."
    assert answer(found, "What limits me?").startswith("Not known: latency under load was not measured")
    assert "sudo cpupower frequency-set -g performance" in steps(found)


def test_wrong_huge_pages(tmp_path: Path) -> None:
    off = Finding(
        name="thp", state="never", verdict="bad", touches=("latency",), effect="",
        remedy="echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    )  # fmt: skip
    waits: list[Row] = [*stairs(CACHES, 152.0), wait(512 * MiB, 360.0, page=4 * KiB)]
    found = quick(tmp_path, guest(), off, latency=waits)
    assert "Page walks cost 208 ns more per random access with 4 KiB pages (512 MiB)." in found.answers[0].text
    assert found.steps[0].text.startswith("Page walks make random accesses 2.4x as slow")
    assert found.steps[0].command == off.remedy
    assert steps(found).count(off.remedy) == 1


def test_slow_dimm(tmp_path: Path) -> None:
    """One channel of two: its peak is known, and nearly reached."""
    peak = 19.2e9
    machine = msgspec.structs.replace(guest(4), peak_bytes_per_s=peak, peak_source="SMBIOS: 1 x DDR4-2400")
    found = quick(
        tmp_path, machine, loaded_latency=[],
        stream=[
            speed("read", 1, 11.0, peak=peak), speed("read", 4, 17.1, peak=peak), speed("copy_nt", 4, 15.0, peak=peak),
        ],
    )  # fmt: skip
    assert answer(found, "What limits me?") == "The memory: 89 % of its theoretical peak"
    assert "89 % of the theoretical peak, 19.20 GB/s (SMBIOS: 1 x DDR4-2400)." in found.answers[0].text
    assert found.lead.endswith("Four CPUs fill this memory.")


def test_small_effective_cache(tmp_path: Path) -> None:
    waits: list[Row] = list(stairs((*CACHES[:2], (8 * MiB, 15.0)), 152.0))
    found = quick(tmp_path, guest(), latency=waits)
    assert answer(found, "Is it normal?").endswith("; the last-level cache is small")
    cache = next(key for key in found.keys if key.name == "last-level cache")
    assert (cache.verdict, cache.about) == ("small", "of 32 MiB reported")
    assert "tierscope run neighbors" in steps(found)
    assert "quota" not in " ".join(one.text for one in found.answers)


def test_persistent_memory(tmp_path: Path) -> None:
    where = "fsdax:/mnt/pmem"
    found = quick(
        tmp_path, guest(8), latency=list(stairs(CACHES, 305.0, target=where)),
        stream=[
            speed("read", 1, 3.2, target=where), speed("read", 8, 6.6, target=where),
            speed("copy_nt", 8, 3.9, target=where),
        ],
        loaded_latency=[load(6.6, 720.0, 2.36, threads=7, target=where)],
    )  # fmt: skip
    assert (
        found.lead
        == "fsdax:/mnt/pmem: 6.6 GB/s read, 3.9 GB/s copied, 305 ns idle. This memory, or the path to it, is full."
    )


def test_cpus_that_share_a_core(tmp_path: Path) -> None:
    """Known from work within the core: the CPUs limit, whatever the memory might give."""
    found = quick(tmp_path, guest(), pairs=[pair("shared", "not known", slowdown=2.0)] * 2)
    assert answer(found, "What limits me?") == "Likely the CPUs: 0 and 1 share one core"
    assert found.lead.endswith("CPUs 0 and 1 share one core.")


@pytest.mark.parametrize("moments", ["shared", "shared own shared", "own own shared own"])
def test_cpus_that_shared_a_core_for_a_moment_are_not_a_cause(tmp_path: Path, moments: str) -> None:
    """A host may have moved one of them for a second: what limits the whole run is something else."""
    slow = {"shared": 2.0, "own": 1.0}
    found = quick(tmp_path, guest(), pairs=[pair(core, "not known", slowdown=slow[core]) for core in moments.split()])
    assert "share one core" not in found.lead + answer(found, "What limits me?")
    (told,) = [one.text for one in found.answers if one.question == "What limits me?"]
    assert ("shared a core at" in told) == ("own" in moments)


@pytest.mark.parametrize(("over", "short"), [(1.24, "Likely the two"), (1.5, "Not known"), (2.4, "The memory")])
def test_a_cause_needs_an_interval_within_its_bounds(tmp_path: Path, over: float, short: str) -> None:
    found = quick(tmp_path, guest(), loaded_latency=[load(29.8, 150.0 * over, over)])
    assert answer(found, "What limits me?").startswith(short)
    assert ("fill" in found.lead or "full" in found.lead) == (short != "Not known")


def test_half_of_the_cpus_cannot_show_that_all_cannot_fill_it(tmp_path: Path) -> None:
    found = quick(tmp_path, guest(8), loaded_latency=[load(29.8, 180.0, 1.2, threads=3)])
    assert answer(found, "What limits me?").startswith("Not known")


def with_cpus(machine: Machine, **cores: tuple[int, ...]) -> Machine:
    """The machine with its CPUs on these cores, or allowed alone."""
    identity = machine.identity
    core = cores.get("core", tuple(cpu.core for cpu in identity.cpus))
    allowed = cores.get("allowed", tuple(cpu.number for cpu in identity.cpus))
    cpus = tuple(
        msgspec.structs.replace(cpu, core=of, allowed=cpu.number in allowed)
        for cpu, of in zip(identity.cpus, core, strict=True)
    )
    return msgspec.structs.replace(machine, identity=msgspec.structs.replace(identity, cpus=cpus))


def test_two_threads_of_one_core_fill_nothing(tmp_path: Path) -> None:
    """The load runs in the chaser's own core, so its latency is not that of the memory."""
    found = quick(tmp_path, with_cpus(guest(), core=(0, 0)), loaded_latency=[load(29.8, 320.0, 2.1)])
    assert answer(found, "What limits me?") == "Likely the CPUs: both are hardware threads of one core"
    assert "memory" not in found.lead.partition("idle. ")[2]


def test_a_pair_on_one_core_shows_little_about_sixty_four_cpus(tmp_path: Path) -> None:
    found = quick(
        tmp_path, guest(64), pairs=[pair("shared", "not known", slowdown=2.0)] * 2,
        stream=[speed("read", 1, 12.0), speed("read", 64, 300.0)], loaded_latency=[load(290.0, 500.0, 3.4, threads=63)],
    )  # fmt: skip
    assert answer(found, "What limits me?").startswith("The memory, or the path to it")


def test_cores_that_are_listed_with_two_threads_all_load_without_the_sibling(tmp_path: Path) -> None:
    """Eight cores of sixteen threads: the load leaves the core of the chaser out, 14 threads."""
    machine = with_cpus(guest(16), core=tuple(range(8)) * 2)
    stream: list[Row] = [speed("read", 1, 12.0), speed("read", 16, 40.0)]
    found = quick(tmp_path, machine, stream=stream, loaded_latency=[load(39.0, 168.0, 1.1, threads=14)])
    assert answer(found, "What limits me?") == "Likely the 16 CPUs or their path, not the memory"


def test_a_load_that_is_lighter_than_reads_shows_no_cause(tmp_path: Path) -> None:
    for over in (1.1, 2.1):
        found = quick(tmp_path / str(over), guest(), loaded_latency=[load(20.0, 150.0 * over, over)])
        assert answer(found, "What limits me?").startswith("Not known: the load that was compared")


def test_the_peak_of_the_machine_is_not_that_of_one_of_its_memories(tmp_path: Path) -> None:
    machine = msgspec.structs.replace(made_server(2, 1, 8), peak_bytes_per_s=400e9)
    stream: list[Row] = [speed("read", 1, 30.0, peak=400e9), speed("read", 8, 380.0, peak=400e9)]
    found = quick(tmp_path, machine, stream=stream, loaded_latency=[])
    assert "peak" not in answer(found, "What limits me?") + found.answers[0].text + "".join(k.about for k in found.keys)


def test_cpus_of_another_node_are_named(tmp_path: Path) -> None:
    machine = with_cpus(made_server(2, 1, 8), allowed=tuple(range(8, 16)))
    found = quick(tmp_path, machine, loaded_latency=[load(30.0, 400.0, 2.2, threads=7)])
    assert found.lead.startswith(
        "Memory of node 0, from CPUs of node 1: 33.4 GB/s read, 43.1 GB/s copied with 2 threads, "
    )
    assert found.lead.endswith("This memory, or the path to it, is full.")


def test_two_of_sixty_four_cpus_show_nothing_of_all(tmp_path: Path) -> None:
    stream: list[Row] = [speed("read", 1, 12.0), speed("read", 2, 24.0), speed("read", 64, 200.0, sure=False)]
    found = quick(tmp_path, guest(64), stream=stream, loaded_latency=[])
    assert answer(found, "What limits me?").startswith("Not known")


def test_each_number_has_its_own_threads_where_they_differ(tmp_path: Path) -> None:
    stream: list[Row] = [speed("read", 4, 60.0), speed("copy_nt", 8, 55.0)]
    found = quick(tmp_path, guest(8), stream=stream, loaded_latency=[])
    assert found.lead.startswith("Memory: 60 GB/s read with 4 threads, 55 GB/s copied with 8 threads, ")


def test_small_pages_alone_are_reported_and_make_no_lines_in_flight(tmp_path: Path) -> None:
    waits: list[Row] = [wait(size, 304.0, page=4 * KiB) for size in (256 * MiB, 512 * MiB)]
    found = quick(tmp_path, guest(), latency=waits)
    assert "304 ns idle at 512 MiB with 4 KiB pages" in found.lead
    assert "in flight" not in found.answers[0].text


@pytest.mark.parametrize("rows", ["libc", "random", "elsewhere"])
def test_rows_that_are_not_in_the_top_raise_no_doubt(tmp_path: Path, rows: str) -> None:
    library = msgspec.structs.replace(speed("memcpy", 2, 20.0), store="libc")
    drawn = [msgspec.structs.replace(row, probe="random") for row in stairs(CACHES, 152.0)]
    tables: dict[str, dict[str, list[Row]]] = {
        "libc": {"stream": [library], "latency": [], "loaded_latency": []},
        "random": {"stream": [], "latency": list(drawn), "loaded_latency": []},
        "elsewhere": {"loaded_latency": [load(29.8, 188.0, 1.24, target="node:1")]},
    }
    found = quick(tmp_path, guest(), **tables[rows])
    assert "shows" not in found.lead
    assert answer(found, "How sure?").startswith(("Sure: all ", "The only point is conclusive"))


def test_a_step_for_another_machine_names_it(tmp_path: Path) -> None:
    off = Finding(name="thp", state="never", verdict="bad", touches=(), effect="", remedy="echo madvise | sudo tee x")
    machine = msgspec.structs.replace(guest(), reached="ssh:server")
    waits: list[Row] = [*stairs(CACHES, 152.0), wait(512 * MiB, 360.0, page=4 * KiB)]
    stream: list[Row] = [speed("read", 1, 27.0), speed("read", 2, 33.0), speed("copy", 2, 30.0, sure=False)]
    found = quick(tmp_path, machine, off, latency=waits, stream=stream)
    walks, again = (next(step for step in found.steps if word in step.text) for word in ("Page walks", "inconclusive"))
    assert walks.text.startswith("On ssh:server: ")
    assert again.command == f"tierscope rerun {tmp_path} --host ssh:server"


def test_missing_latency_under_load_is_distinguished_from_an_inconclusive_one(tmp_path: Path) -> None:
    """And each with what to do: to measure it, or to repeat the run."""
    missing = quick(tmp_path / "missing", guest(), loaded_latency=[], stream=[speed("read", 1, 27.1)])
    assert answer(missing, "What limits me?") == "Not known: latency under load was not measured"
    assert "loaded-latency" in missing.answers[0].text
    loads: list[Row] = [load(29.8, 188.0, 2.4, sure=False), load(29.0, 188.0, 2.4, sure=False), load(9.0, 160.0, 1.0)]
    unsure = quick(tmp_path / "unsure", guest(), loaded_latency=loads)
    assert answer(unsure, "What limits me?") == "Not known: 2 of 3 latencies under load are inconclusive"
    assert "what to do next" in unsure.answers[0].text


def test_the_headline_and_how_sure_judge_the_same_numbers(tmp_path: Path) -> None:
    """Most points are conclusive, most key numbers are not: both are shown."""
    waits: list[Row] = list(stairs(CACHES, 152.0))
    stream: list[Row] = [speed("read", 2, 33.4, sure=False), speed("copy", 2, 30.0, sure=False)]
    found = quick(tmp_path, guest(), stream=stream, latency=waits, loaded_latency=[load(29.8, 188.0, 2.4, sure=False)])
    assert "This run shows little else" in found.lead
    assert answer(found, "How sure?") == f"Not yet: 1 of 4 key numbers, {len(waits)} of {len(waits) + 3} points"


def test_a_step_of_the_doctor_states_that_its_effect_was_not_measured(tmp_path: Path) -> None:
    damon = Finding(name="damon", state="on", verdict="bad", touches=(), effect="", remedy="echo off")
    found = quick(tmp_path, guest(), damon)
    seen = Finding(name="load", state="1.9 CPUs", verdict="bad", touches=(), effect="", remedy="top")
    both = quick(tmp_path / "both", guest(), damon, seen)
    assert [step.text for step in both.steps if "Doctor" in step.text] == [
        "Doctor: load: 1.9 CPUs.", "Doctor: damon: on. Its effect on this run was not measured.",
    ]  # fmt: skip
    assert found.steps[-1].text == "Doctor: damon: on. Its effect on this run was not measured."
    assert [step.gain for step in found.steps] == sorted((step.gain for step in found.steps), reverse=True)


@pytest.mark.parametrize(
    ("over", "said"),
    [(1.06, "Memory: 167 ns idle, 1.06x idle at 29.8 GB/s."), (None, "Memory: 167 ns idle.")],
)
def test_less_under_load_than_idle_at_another_time_is_never_reported(
    tmp_path: Path, over: float | None, said: str
) -> None:
    """A machine that drifts: 167 ns idle, later 155 ns under load, which was 146 ns idle then."""
    loads: list[Row] = [load(29.8, 155.0, over)]
    found = quick(tmp_path, guest(8), stream=[], latency=list(stairs(CACHES, 167.0)), loaded_latency=loads)
    assert found.lead == said
    key = next(one for one in found.keys if one.name == "latency at the highest load")
    assert key.about == "at 29.8 GB/s, all reads" + ("; 146 ns without this load" if over else "")


def test_a_latency_under_load_that_is_surely_longer_is_reported_with_the_idle_one(tmp_path: Path) -> None:
    waits: list[Row] = list(stairs(CACHES, 152.0))
    found = quick(tmp_path, guest(8), stream=[], latency=waits, loaded_latency=[load(29.8, 188.0, None)])
    assert found.lead == "Memory: 152 ns idle, an access takes 188 ns at 29.8 GB/s."


@pytest.mark.parametrize("over", [1.06, 2.4])
@pytest.mark.parametrize("fullest", [True, False])
def test_a_load_below_one_that_is_inconclusive_shows_no_cause(tmp_path: Path, over: float, fullest: bool) -> None:
    """As on a guest whose reads and heaviest load were inconclusive: 40.6 GB/s with pauses, 51.2 GB/s without."""
    light = msgspec.structs.replace(load(40.6, 146.0 * over, over), delay_cycles=0 if fullest else 50)
    loads: list[Row] = [light, *([] if fullest else [load(51.2, 400.0, 2.7, sure=False)])]
    found = quick(tmp_path, guest(), stream=[], loaded_latency=loads)
    short, evidence = answer(found, "What limits me?"), found.answers[0].text
    assert short.startswith("Not known: a load that may move more is inconclusive") == (not fullest)
    assert ("conclusive load, 40.6 GB/s" in evidence) == (not fullest)
    assert ("fill" in found.lead or "full" in found.lead) == fullest
    assert found.keys[-1].name == f"latency at the highest {'' if fullest else 'sure '}load"


def test_a_system_without_large_pages_has_no_walk_cost_but_the_remedy(tmp_path: Path) -> None:
    """With `never`, a request for large pages gets small ones: nothing to compare with."""
    off = Finding(name="thp", state="never", verdict="bad", touches=(), effect="", remedy="echo madvise | sudo tee x")
    waits = [msgspec.structs.replace(row, page_bytes=4 * KiB) for row in stairs(CACHES, 360.0)]
    found = quick(tmp_path, guest(), off, latency=list(waits))
    assert "360 ns idle with 4 KiB pages" in found.lead
    assert "Page walks" not in found.answers[0].text + steps(found)
    assert "echo madvise | sudo tee x" in steps(found)


def test_latencies_alone_are_asked_what_an_access_costs(tmp_path: Path) -> None:
    """Nothing of them limits a bandwidth; and the headline is not repeated."""
    found = quick(tmp_path, guest(), stream=[], loaded_latency=[])
    assert found.lead == "Memory: 152 ns idle."
    (first,) = [one for one in found.answers if one.question == "What does an access cost?"]
    assert first.short.startswith("Cache level 1: 1.1 ns up to 32 KiB")
    assert not any(one.question == "What limits me?" for one in found.answers)


def test_a_latency_under_load_alone_has_its_own_ratio(tmp_path: Path) -> None:
    found = quick(tmp_path, guest(8), stream=[], latency=[], loaded_latency=[load(29.8, 155.0, 1.06, threads=3)])
    assert found.lead == "Memory: an access takes 155 ns at 29.8 GB/s, 1.06x idle."
