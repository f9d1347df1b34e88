"""The jobs of `run storage`, their files, and the arguments of fio."""

from collections.abc import Iterable

import msgspec
import pytest

from made_machine import made_machine
from tierscope.errors import MachineError, UsageError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.suites.storage.experiments import LARGEST
from tierscope.units import GiB, KiB, MiB

SUITE = suites["storage"]


def planned(*words: str, room: int | None = 100 * GiB) -> list[Experiment]:
    asked = SUITE.read(dict(word.split("=", 1) for word in words))
    return list(SUITE.plan(_machine("storage:/var/tmp", room), asked))


def _machine(word: str, room: int | None) -> Machine:
    return msgspec.structs.replace(made_machine(), rooms={} if room is None else {word: room})


def commands(experiments: Iterable[Experiment]) -> list[dict[str, str]]:
    return [dict(word.split("=", 1) for word in e.groups[0].workload.work.arguments.split()) for e in experiments]


def test_the_paper_is_the_nine_jobs_of_document_003_in_both_orders() -> None:
    found = planned()
    assert len(found) == 18
    assert {e.labels["depth"] for e in found} == {16}
    assert {e.schedule.repeats for e in found} == {True}
    order = [(e.labels["mix"], e.groups[0].workload.work.block_bytes // KiB) for e in found[:9]]
    assert order == [(mix, size) for mix in ("write", "mix", "read") for size in (4, 32, 128)]
    words = commands(found)
    assert [word["rw"] for word in words[::3]] == ["randwrite", "randrw", "randread", "write", "rw", "read"]
    assert {word.get("rwmixread") for word in words[3:6]} == {"70"}
    assert {word["iodepth"] for word in words} == {"16"}
    assert {(word["direct"], word["ioengine"]) for word in words} == {("1", "auto")}


def test_depths_go_from_one_up_and_latency_has_one_in_flight() -> None:
    depths = planned("preset=depths")
    assert sorted({int(e.labels["depth"] or 0) for e in depths}) == [1, 2, 4, 8, 16, 32, 64, 128]
    assert {e.groups[0].workload.work.block_bytes for e in depths} == {4 * KiB}
    latency = planned("preset=latency")
    assert {e.labels["depth"] for e in latency} == {1}
    assert {e.groups[0].workload.work.order for e in latency} == {"random", "sequential"}


def test_options_of_the_user_override_those_of_the_preset() -> None:
    (one,) = planned("preset=depths", "blocks=8KiB", "mixes=mix", "read_share=0.5", "depths=3", "direct=no",
                     "engine=libaio", "ramp=250ms")  # fmt: skip
    assert one.groups[0].workload.work.arguments == (
        "rw=randrw iodepth=3 rwmixread=50 ramp_time=250ms ioengine=libaio direct=0"
    )
    assert one.labels == {"mix": "mix", "read_share": 0.5, "depth": 3}


@pytest.mark.parametrize("share", ["0.01", "0.07", "0.29", "0.57", "0.99"])
def test_a_mix_of_whole_per_cent_is_taken(share: str) -> None:
    (word,) = commands(planned("preset=depths", "mixes=mix", "depths=1", f"read_share={share}"))
    assert int(word["rwmixread"]) == round(100 * float(share))


def test_the_file_is_four_gibibytes_or_a_quarter_of_the_room() -> None:
    assert planned()[0].groups[0].workload.footprint_bytes == LARGEST
    small = planned(room=1 * GiB)
    assert {e.groups[0].workload.footprint_bytes for e in small} == {256 * MiB}
    assert "256 MiB instead of 4 GiB" in small[0].note
    assert {e.note for e in small[1:]} == {""}
    assert planned("size=100MiB", room=1 * GiB)[0].groups[0].workload.footprint_bytes == 100 * MiB


def test_a_room_that_is_not_known_limits_nothing() -> None:
    assert planned(room=None)[0].groups[0].workload.footprint_bytes == LARGEST
    assert planned("size=300GiB", room=None)[0].groups[0].workload.footprint_bytes == 300 * GiB


def test_a_device_takes_its_own_room() -> None:
    asked = SUITE.read({"device": "/dev/sdx"})
    found = list(SUITE.plan(_machine("blockdev:/dev/sdx", GiB), asked))
    assert found[0].groups[0].target.word == "blockdev:/dev/sdx"
    assert found[0].groups[0].workload.footprint_bytes == GiB


def test_a_place_is_kept_as_an_absolute_path() -> None:
    assert str(SUITE.read({"path": "here"}).path).startswith("/")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["preset=nine"], "unknown preset 'nine'"),
        (["preset=paper,depths"], "one preset at a time"),
        (["mixes=erase"], "unknown mix 'erase'"),
        (["orders=backwards"], "unknown order"),
        (["engine=mmap"], "unknown engine 'mmap'"),
        (["direct=perhaps"], "unknown direct 'perhaps'"),
        (["blocks=1000B"], "whole sectors of 512 bytes"),
        (["blocks=0"], "whole sectors of 512 bytes"),
        (["depths=0"], "from 1 to 4096"),
        (["depths=9999"], "from 1 to 4096"),
        (["depths=512", "engine=psync"], "of psync to 256"),
        (["depths=x"], "depths=x: this is not a list"),
        (["read_share=0.005"], "whole per cent, from 0.01 to 0.99"),
        (["read_share=0.999"], "whole per cent"),
        (["read_share=0.125"], "read_share=0.125: fio mixes by whole per cent"),
        (["read_share=0.996"], "mixes=read"),
        (["repeat=1ms"], "100ms or more"),
    ],
)
def test_a_wrong_value_is_refused_with_the_possible_ones(words: list[str], why: str) -> None:
    with pytest.raises(UsageError) as caught:
        planned(*words)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("words", "room", "why"),
    [
        ([], 10 * MiB, "has space for 2.5 MiB only"),
        (["size=2GiB"], GiB, "fewer than size=2 GiB"),
        (["size=64KiB"], GiB, "are needed"),
        (["blocks=1GiB"], 2 * GiB, "1 GiB are needed"),
    ],
)
def test_too_little_space_is_reported(words: list[str], room: int, why: str) -> None:
    with pytest.raises(MachineError) as caught:
        planned(*words, room=room)
    assert why in str(caught.value)
