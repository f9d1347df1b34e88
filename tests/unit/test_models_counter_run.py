"""The numbers of a run's records to which the counter model is fitted."""

from pathlib import Path

import msgspec
import pytest

from made import Maker, add_latency
from made_counters import event, made_counted, made_second_pass
from tierscope.errors import UsageError
from tierscope.models.counter_model import CounterModel
from tierscope.models.counter_run import counters_of
from tierscope.models.device import Device
from tierscope.models.model import FitError
from tierscope.predict.rows import of_counters
from tierscope.record.result import Record
from tierscope.record.work.key import KeyedWork


def swept(tmp_path: Path, counts: tuple[int, ...], **changes: object) -> list[Record]:
    """Records of gets on these numbers of keys; an operation costs a millionth of TRUTH."""
    maker = Maker(tmp_path)
    add_latency(maker, (1 << 20,))
    first = maker.records[0]
    stalls = event("stalled-cycles-backend", 2_000_000_000)
    counted = made_counted()
    counted = msgspec.structs.replace(counted, **{"events": (*counted.events, stalls), **changes})
    one = first.experiment.groups[0]
    return [
        msgspec.structs.replace(
            first,
            counted=(counted, made_second_pass()),
            experiment=msgspec.structs.replace(
                first.experiment,
                groups=(
                    msgspec.structs.replace(
                        one, workload=msgspec.structs.replace(one.workload, work=KeyedWork(count=keys))
                    ),
                ),
            ),
        )
        for keys in counts
    ]


def test_the_counter_model_is_fitted_to_a_run(tmp_path: Path) -> None:
    records = swept(tmp_path, (100_000, 10_000, 1_000_000, 3_000_000, 30_000))
    operations, totals, clock_hz = counters_of(records, "none")
    assert operations.tolist() == [1e4, 3e4, 1e5, 1e6, 3e6]
    assert totals["cycles"] == pytest.approx(3000 * operations)
    assert totals["stall_cycles"] == pytest.approx(2000 * operations)
    assert totals["llc_load_misses"] == pytest.approx(operations)
    assert clock_hz == pytest.approx(3e9 / 0.99)
    device = Device("made", 300e-9, 100e-9, 2e9)
    found = CounterModel.fit(operations, totals, clock_hz).predict(5e5, device)
    assert found.value == pytest.approx(5e5 * (1000 / clock_hz + 300e-9 + 0.5 * 100e-9), rel=1e-6)


def test_cycles_of_user_mode_alone_make_no_clock(tmp_path: Path) -> None:
    counted = made_counted(scope="user")
    clock = event("task-clock", 990_000_000)
    stalls = event("stalled-cycles-backend", 2_000_000_000, scope="user")
    events = (*(one for one in counted.events if one.event != "task-clock"), clock, stalls)
    with pytest.raises(FitError, match=r"has no clock: .*cycles: user; task-clock: user\+kernel"):
        counters_of(swept(tmp_path, (1000,), events=events), "none")


def test_a_run_without_a_pmu_fits_no_counter_model_and_states_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FitError, match=r"no count of cycles; it needs a PMU, and counters=default"):
        counters_of(swept(tmp_path, (1000,), events=(event("task-clock", 1),)), "none")
    with pytest.raises(FitError, match="run maps with several count="):
        counters_of([], "none")


def test_a_run_without_a_structure_is_refused_with_its_content(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, (1 << 20,))
    with pytest.raises(UsageError, match="has chase; a fit takes one structure and one operation"):
        of_counters(maker.save(), (), (), 16)
