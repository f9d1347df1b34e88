"""Events of memory controllers: what a tree of /sys has, what is left out and why, and the rows of made counts."""

from pathlib import Path

import numpy as np
import pytest

from lab import Lab, group, lab_in, plan_of, point
from made import Maker, made_facts
from tierscope.errors import UsageError
from tierscope.metrics.controllers import DEVICES, ControllerEvent, Controllers, controllers_of, families, read_family
from tierscope.metrics.controllers import FOLDER as FILES
from tierscope.record.counting import PERF_EVENT, Count, Counting, Counts, EventFacts
from tierscope.record.result import BLOCK
from tierscope.run.counters import Counters as Counting_
from tierscope.run.memory_counts import MemoryCounts
from tierscope.suites.counters.table import Counters
from trees import plant

INTEL, ROME, ARM = "GenuineIntel:6:106:6", "AuthenticAMD:23:49:0", "ARM:0x41:0xd0c:1"
SCALE = {"scale": "6.103515625e-5", "unit": "MiB"}


def controller(name: str, cpus: str, **events: str) -> dict[str, object]:
    """The files of one PMU. events: what the kernel names, with a scale of 64 bytes."""
    files: dict[str, object] = {f"{DEVICES}/{name}/type": "14", f"{DEVICES}/{name}/cpumask": cpus}
    for event, encoding in events.items():
        files[f"{DEVICES}/{name}/events/{event}"] = encoding
        files.update({f"{DEVICES}/{name}/events/{event}.{end}": text for end, text in SCALE.items()})
    return files


def intel(cpus: str = "0,28") -> dict[str, object]:
    both = {"cas_count_read": "event=0x04,umask=0x03", "cas_count_write": "event=0x04,umask=0x0c"}
    return {**controller("uncore_imc_0", cpus, **both), **controller("uncore_imc_10", cpus, **both)}


def names(found: Controllers) -> list[str]:
    return [event.name for event in found.events]


def test_every_channel_of_every_package_has_events_of_its_own(tmp_path: Path) -> None:
    found = controllers_of(plant(tmp_path, changes=intel()), INTEL)
    assert names(found) == [
        f"{pmu}/cas_count_{what}@{cpu}"
        for pmu in ("uncore_imc_0", "uncore_imc_10")
        for what in ("read", "write")
        for cpu in (0, 28)
    ]
    assert found.events[1].word == "uncore_imc_0/event=0x04,umask=0x03/@28"
    assert {event.bytes for event in found.events} == {64.0}
    assert [event.moves for event in found.events[:3]] == ["read", "read", "written"]
    assert found.reasons == ()
    alone = controllers_of(plant(tmp_path / "one", changes=intel("0")), INTEL)
    assert names(alone)[0] == "uncore_imc_0/cas_count_read"


def test_the_kernels_scale_counts_more_than_the_file(tmp_path: Path) -> None:
    changes = intel("0") | {f"{DEVICES}/uncore_imc_0/events/cas_count_read.scale": "3.0517578125e-5"}
    found = controllers_of(plant(tmp_path, changes=changes), INTEL)
    assert [event.bytes for event in found.events[:2]] == [32.0, 64.0]


def test_encodings_are_those_of_known_processors_alone(tmp_path: Path) -> None:
    system = plant(tmp_path, changes=controller("amd_df", "0,8"))
    found = controllers_of(system, ROME)
    assert len(found.events) == 8 * 2
    assert found.events[2].word == "amd_df/event=0x47,umask=0x38/@0"
    assert {event.moves for event in found.events} == {"both"}
    other = controllers_of(system, "AuthenticAMD:25:17:0")
    assert other.events == ()
    assert "this processor is AuthenticAMD:25:17" in other.reasons[0]


def test_a_mesh_of_arm_and_a_controller_of_zen_4_are_known(tmp_path: Path) -> None:
    mesh = plant(tmp_path / "arm", changes=controller("arm_cmn_0", "0", hnf_mc_reqs="type=0x5,eventid=0xd"))
    assert controllers_of(mesh, ARM).words == "arm_cmn_0/type=0x5,eventid=0xd/@0"
    zen = plant(tmp_path / "zen", changes=controller("amd_umc_3", "0"))
    assert controllers_of(zen, "AuthenticAMD:25:17:1").words == (
        "amd_umc_3/event=0x0a,rdwrmask=0x1/@0,amd_umc_3/event=0x0a,rdwrmask=0x2/@0"
    )


def test_what_a_machine_lacks_has_a_reason(tmp_path: Path) -> None:
    without = plant(tmp_path / "guest", changes={f"{DEVICES}/{name}/type": "1" for name in ("msr", "software")})
    (why,) = controllers_of(without, INTEL).reasons
    assert f"{DEVICES} contains msr, software. A hypervisor hides those of its host" in why
    assert "shows no PMU" in controllers_of(plant(tmp_path / "none"), INTEL).reasons[0]
    changes = intel("0") | {
        f"{DEVICES}/uncore_imc_0/events/cas_count_write": None,
        f"{DEVICES}/uncore_imc_10/cpumask": "",
    }
    found = controllers_of(plant(tmp_path / "part", changes=changes), INTEL)
    assert names(found) == ["uncore_imc_0/cas_count_read"]
    assert found.reasons == (
        "uncore_imc_0: the kernel gives no event cas_count_write",
        f"uncore_imc_10: no CPU counts for it ({DEVICES}/uncore_imc_10/cpumask is empty or absent)",
    )


def test_an_event_without_an_encoding_is_left_out(tmp_path: Path) -> None:
    changes = intel("0") | {f"{DEVICES}/uncore_imc_0/events/cas_count_read": "event=1/,cycles"}
    found = controllers_of(plant(tmp_path, changes=changes), INTEL)
    assert "uncore_imc_0: the kernel gives no event cas_count_read" in found.reasons


def test_each_file_names_its_pmus_and_none_is_in_two(tmp_path: Path) -> None:
    assert len(families()) == len(list(FILES.glob("*.toml")))
    known = ("uncore_imc_0", "uncore_imc", "uncore_hbm_3", "amd_df", "amd_umc_0", "arm_cmn_1", "nvidia_scf_pmu_0")
    for pmu in (*known, "uncore_imc_free_running_0"):
        assert sum(family.pmus.fullmatch(pmu) is not None for family in families()) == 1, pmu
    with pytest.raises(UsageError, match="controllers x.toml: KeyError 'source'"):
        read_family("x", 'summary = "a"')
    wrong = 'summary = "a"\nsource = "b"\npmus = "c"\n[[event]]\nmoves = "up"\nalias = "d"\nbytes = 64'
    with pytest.raises(UsageError, match=r"event d needs moves \(read, written, both\)"):
        read_family("x", wrong)


# --- counts ---

TWO = Controllers(
    tuple(
        ControllerEvent(f"uncore_imc_{n}/cas_count_{what}", moves, f"uncore_imc_{n}/event={n},umask={u}/@0", 64.0)
        for n in range(2)
        for u, (what, moves) in enumerate((("read", "read"), ("write", "written")))
    ),
    ("uncore_imc_2: no CPU counts for it",),
)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path / "run", monkeypatch)


def counting(controllers: Controllers) -> Counting_:
    return Counting_("memory", INTEL, None, (), controllers)


def test_a_run_has_the_counts_of_each_channel_their_sums_and_their_factor(lab: Lab, tmp_path: Path) -> None:
    lab(plan_of(point(group())), counters=counting(TWO))
    (record,) = lab.records
    (counted,) = record.counted
    batches = lab.core.log.count("machine counts")
    assert batches == len([step for step in lab.core.log if step.startswith("measure")]) == counted.blocks
    assert (counted.origin, counted.group, counted.take) == (PERF_EVENT, None, None)
    assert all(one > 0 for one in counted.program_bytes)
    of = {one.event: one for one in counted.events}
    assert of["uncore_imc_1/cas_count_read"].by_batch[:2] == (1000, 1010)
    assert of["memory-reads"].by_batch[:2] == (2000, 2020)
    assert of["uncore_imc_2"].reason == "uncore_imc_2: no CPU counts for it"
    maker = Maker(tmp_path)
    maker.records.append(record)
    run = maker.save()
    rows = {row.counter: row for row in Counters().rows(run)}
    assert set(rows) == {*of}
    sums = rows["memory-reads"]
    assert sums.scope == "machine"
    assert sums.traffic_bytes == 64 * sum(of["memory-reads"].by_batch)
    ratios = sorted(
        64 * one / size for one, size in zip(of["memory-reads"].by_batch, counted.program_bytes, strict=True)
    )
    factor = sums.over_program
    assert factor is not None
    assert ratios[0] * (1 - 1e-9) <= factor.low <= factor.middle <= factor.high <= ratios[-1] * (1 + 1e-9)
    channel = rows["uncore_imc_0/cas_count_read"].over_program
    assert channel is not None
    assert channel.middle == pytest.approx(factor.middle / 2)
    said = [insight.text for insight in Counters().insights(run, [*rows.values()])]
    assert counted.blocks >= 8
    assert any("bytes read for each program byte, with those of all other programs" in text for text in said)


def test_without_controllers_a_run_continues_and_has_the_reason(lab: Lab, tmp_path: Path) -> None:
    lab(plan_of(point(group())), counters=counting(Controllers((), ("no PMU of a memory controller here",))))
    (counted,) = lab.records[0].counted
    assert counted.reason == "no PMU of a memory controller here"
    assert not any(step.startswith("count") for step in lab.core.log)
    maker = Maker(tmp_path)
    maker.records.append(lab.records[0])
    run = maker.save()
    (row,) = Counters().rows(run)
    assert (row.value, row.reason) == (None, "no PMU of a memory controller here")


def test_a_sum_lacks_no_channel() -> None:
    counts = MemoryCounts(TWO)
    facts = tuple(
        EventFacts(event=one.word, scope="machine", reason="not allowed" * (place == 1), group=0, empty=0)
        for place, one in enumerate(TWO.events)
    )
    counts.begin(Counting(events=(), empty_blocks=0, pair_s=0.0, machine=facts))
    count = Count(value=10, enabled_ns=4, running_ns=2)
    counts.batch(0, Counts(blocks=1, operations=0, ticks=1, events=(count,) * 4))
    (found,) = counts.end(point(group()), (made_facts(group()),), np.zeros(1, dtype=BLOCK), 1e9)
    of = {one.event: one for one in found.events}
    assert "no counts of uncore_imc_0/cas_count_write" in of["memory-writes"].reason
    assert of["memory-reads"].by_batch == (2 * 20.0,)
    assert of["memory-reads"].estimate == 40
    assert of["uncore_imc_0/cas_count_write"].reason == "not allowed"
