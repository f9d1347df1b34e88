"""perf stat's other outputs: intervals, CPUs apart, shares of the time; after the documents of Linux 6."""

from pathlib import Path

import pytest

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers

TEXT = (Path(__file__).parents[1] / "data/imports/perf.txt").read_text()
SECONDS = "\n       1.000000000 seconds time elapsed\n"
HEAD = " Performance counter stats for 'true':\n\n"
UNIT = "msec"  # as perf states it
CLOCK = f"           1000.00 {UNIT} task-clock                       #    0.999 CPUs utilized\n"


def imported(text: str) -> Imported:
    return importers["perf_stat"].read(text)


def text(*lines: str) -> str:
    return HEAD + CLOCK + "".join(f"{line}\n" for line in lines) + SECONDS


def json_line(event: str, count: float, share: float = 100.0, **more: str) -> str:
    own = "".join(f'"{key}" : "{word}", ' for key, word in more.items())
    return (
        f'{{{own}"counter-value" : "{count:f}", "unit" : "{"msec" if event == "task-clock" else ""}", '
        f'"event" : "{event}", "event-runtime" : 300363, "pcnt-running" : {share:.2f}}}\n'
    )


TWICE = {
    "JSON, intervals": json_line("cycles", 9, interval="1.0") + json_line("cycles", 8, interval="2.0"),
    "JSON, CPUs": json_line("cycles", 9, cpu="0") + json_line("cycles", 8, cpu="1"),
    "CSV, two runs": "9,,cycles,307122,100.00,,\n8,,cycles,307122,100.00,,\n",
    "text, two runs": TEXT + TEXT,
}
UNREAD = {
    "text, CPUs": text("CPU0              2,000,000      cycles", "CPU1              1,000,000      cycles"),
    "text, packages": text("S0-D0           4          2,000,000      cycles"),
    "text, half a line": text("           2,000,000"),
    "JSON, half a line": json_line("cycles", 9) + 'unter-value" : "4.000000", "unit" : "", "event" : "faults"}',
}


@pytest.mark.parametrize("count", [9_999_999_999_999, 10_000_000_000_000, 1_234_567_890_123_456_789])
def test_a_count_as_wide_as_its_column_is_read(count: int) -> None:
    readings = imported(text(f"{count:>18,}      instructions")).readings
    assert [one.values["count"].value for one in readings if one.test == "instructions"] == [float(count)]


@pytest.mark.parametrize("what", TWICE)
def test_one_event_with_several_counts_is_refused(what: str) -> None:
    with pytest.raises(UsageError, match="is there 2 times"):
        imported(TWICE[what])


@pytest.mark.parametrize("what", UNREAD)
def test_a_line_with_numbers_that_is_not_understood_is_refused(what: str) -> None:
    with pytest.raises(UsageError, match="is not a line of a whole run"):
        imported(UNREAD[what])


SCALED = {
    "text": text("     2,000,000,000      cycles                    #    2.000 GHz            (12.50%)"),
    "JSON": json_line("task-clock", 1000) + json_line("cycles", 2e9, 12.5),
    "CSV": "1000.00,msec,task-clock,307122,100.00,,\n2000000000,,cycles,307122,12.50,,\n",
    "CSV, repeated": "1000.00,msec,task-clock,0.10%,307122,100.00,,\n2000000000,,cycles,1.20%,307122,12.50,,\n",
}


@pytest.mark.parametrize("what", SCALED)
def test_an_event_counted_for_a_share_of_the_time_is_reported_and_gives_no_clock(what: str) -> None:
    found = imported(SCALED[what])
    assert [warn.code for warn in found.warnings] == ["scaled"]
    assert "cycles (counted 12.5" in found.warnings[0].message
    assert "core_hz" not in found.readings[0].values
    assert found.readings[-1].values["count"].value == 2e9


@pytest.mark.parametrize("what", SCALED)
def test_events_counted_all_the_time_give_the_clock(what: str) -> None:
    found = imported(SCALED[what].replace("(12.50%)", "").replace("12.50", "100.00"))
    assert found.warnings == ()
    assert found.readings[0].values["core_hz"].value == 2e9


def test_metrics_deviations_and_advice_of_perf_are_not_counts() -> None:
    found = imported(
        text(
            "     2,000,000,000      cycles                    #    2.000 GHz            ( +-  1.20% )",
            "            TopdownL1                 #     20.3 %  tma_backend_bound",
            "                                      #     11.9 %  tma_retiring",
            "Some events weren't counted. Try disabling the NMI watchdog:",
            "\techo 0 > /proc/sys/kernel/nmi_watchdog",
        )
    )
    assert [one.test for one in found.readings] == ["program", "task-clock", "cycles"]
    assert found.warnings == ()


@pytest.mark.parametrize("table", ["1,2,3,4,5\n", "1,a,2,b,3\n", "1,,x,y,z\n"])
def test_another_table_with_commas_is_not_taken_for_perf(table: str) -> None:
    assert not importers["perf_stat"].knows(table)
