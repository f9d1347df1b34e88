"""A wrong command line is refused before a measurement begins; numbers of the answer have their usual forms."""

import pytest

from made_machine import made_machine
from said import say
from tierscope.draw.cells import cell
from tierscope.errors import Exit, UsageError
from tierscope.plans import suites
from tierscope.plans.cpus import chosen_cpus
from tierscope.predict.program.machines import refuse_unknown
from tierscope.record.experiment import Target
from tierscope.report.top.brief import short_rate
from tierscope.suites.latency.findings import beside_reported
from tierscope.tables import Column
from tierscope.units import KiB, MiB


@pytest.mark.parametrize("word", ["1", "1s", "0.5us", "101ms"])
def test_a_block_that_the_core_cannot_measure_is_refused_before_the_run(word: str) -> None:
    for name in ("stream", "contention"):
        with pytest.raises(UsageError, match="1us to 100ms"):
            suites[name].read({"block": word})
    assert suites["stream"].read({"block": "100ms"})


def test_a_cpu_that_is_named_twice_is_refused_before_the_run() -> None:
    machine, target = made_machine(4, None), Target.parse("node:0")
    assert chosen_cpus(machine, (1, 0), target) == (1, 0)
    with pytest.raises(UsageError, match="cpus=1,1 names a CPU twice"):
        chosen_cpus(machine, (1, 1), target)


@pytest.mark.parametrize("word", ["foo", "read=350ns,colour=1ns", "read=fast"])
def test_a_tier_without_a_memory_is_refused_before_this_machine_is_measured(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.predict.program.machines._is_simulated", lambda name: name == "cxl_dram")
    refuse_unknown(["cxl_dram,memory.cxl.read=1ns", "read=350ns", "bandwidth=4GB/s", "document 004"])
    with pytest.raises(UsageError):
        refuse_unknown([word])


@pytest.mark.parametrize(
    ("rate", "text"),
    [(33.44e9, "33.4 GB/s"), (20e9, "20 GB/s"), (999.4e9, "999 GB/s"), (999.6e9, "1000 GB/s"), (1024e9, "1024 GB/s"),
     (4.58e6, "4.58 MB/s")],
)  # fmt: skip
def test_no_rate_of_a_headline_has_an_exponent(rate: float, text: str) -> None:
    assert short_rate(rate) == text


@pytest.mark.parametrize(
    ("rate", "text"), [(53.391e9, "53.39"), (3.04e6, "0.00304"), (0.1635e9, "0.164"), (0.0, "0.00")]
)
def test_a_slow_rate_keeps_three_digits_in_a_table(rate: float, text: str) -> None:
    assert cell(rate, Column("bandwidth_bytes_per_s", "bandwidth", "B/s")) == text


@pytest.mark.parametrize(
    ("capacity", "words"),
    [
        (1.8 * MiB, "; nearest reported cache: L2, 2 MiB"),
        (11 * MiB, "; between the reported L2, 2 MiB, and L3, 480 MiB"),
        (1 * KiB, ""),
    ],
)
def test_a_level_far_from_each_reported_cache_is_not_called_near_one(capacity: float, words: str) -> None:
    assert beside_reported(capacity, {48 * KiB: "L1", 2 * MiB: "L2", 480 * MiB: "L3"}) == words


def test_an_option_without_its_value_names_the_help_of_its_command(capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = say(capfd, "run", "stream", "--json")
    assert status == Exit.USAGE
    assert "try `tierscope run --help`" in err
