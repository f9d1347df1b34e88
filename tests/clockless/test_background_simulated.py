"""Traffic of others on a simulated memory: planted at a known rate, in several mixes, and found without being named."""

from pathlib import Path

import msgspec
import pytest

from tiers import first
from tierscope.cli.main import main
from tierscope.record.experiment import Experiment, Group, Team, Workload
from tierscope.record.result import Run, load
from tierscope.record.work.line import LineWork
from tierscope.suites.background import experiments
from tierscope.suites.background.experiments import BackgroundOptions
from tierscope.suites.background.known import Known
from tierscope.suites.background.row import BackgroundRow
from tierscope.tables import tables
from tierscope.tables.measured import judged_once, records
from tierscope.units import MiB

pytestmark = pytest.mark.slow

WHERE = "sim:ddr5,cache.1.size=256KiB,cache.2.size=1920KiB,memory.dram.channels=1,cpu.count=10,cache.2.shared=10"
CURVE = (
    "mixes=read,write,write_nt",
    "delays=0,300,1000",
    "cpus=0,1,2,3,4,5",
    "array=16MiB",
    "budget=0.4",
    "duration=5s",
)


def run(directory: Path, *words: str) -> Run:
    assert main(["run", "background", *words, "--out", str(directory), "--quiet"]) == 0
    return load(directory)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("quiet") / "run", f"target={WHERE}", *CURVE)


def whole(found: Run) -> BackgroundRow:
    row: BackgroundRow = tables["background"].rows(found)[0]
    return row


def planted(kernel: str, threads: int, delay: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds traffic to each watch that its analysis does not know of."""
    plain = experiments.watch

    def watch(chaser: Group, chosen: BackgroundOptions, known: Known | None = None) -> Experiment:
        found = plain(chaser, chosen, known)
        work = Workload(kernel=kernel, footprint_bytes=32 * MiB, work=LineWork(), pace_cycles=delay)
        other = Group(workload=work, target=chaser.target, team=Team(cpus=(7, 8, 9)[:threads]))
        return msgspec.structs.replace(found, groups=(*found.groups, other), takes=((0, 1),))

    monkeypatch.setattr(experiments, "watch", watch)


def truth(found: Run) -> float:
    """Bytes/s on the bus of what was planted."""
    (record,) = records(found, "background")
    facts = record.groups[1]
    assert facts.bus_bytes_per_operation
    return judged_once(found, record).points[0].groups[1].interval.middle * facts.bus_bytes_per_operation


@pytest.mark.parametrize(
    ("kernel", "threads", "delay"),
    first(
        3,
        [
            ("read", 3, 0),
            ("write", 1, 0),
            ("mix_2r1w", 2, 300),
            ("read", 1, 0),
            ("read", 2, 600),
            ("write", 3, 900),
            ("mix_1r1w_nt", 3, 100),
            ("write_nt", 2, 500),
        ],
    ),
)
def test_planted_traffic_is_within_the_interval(
    quiet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str, threads: int, delay: int
) -> None:
    planted(kernel, threads, delay, monkeypatch)
    found = run(tmp_path / "run", f"target={WHERE}", f"curve={quiet.path}", "duration=5s")
    row = whole(found)
    assert row.traffic, row.reasons
    assert row.traffic.low <= truth(found) <= row.traffic.high


def test_without_traffic_none_is_reported(quiet: Run) -> None:
    row = whole(quiet)
    assert row.state == "below"
    assert row.traffic
    assert row.traffic.low == 0


def test_heavy_traffic_is_detected_and_reported(quiet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted("read", 3, 0, monkeypatch)
    found = run(tmp_path / "run", f"target={WHERE}", f"curve={quiet.path}", "duration=5s")
    (said,) = (one for one in tables["background"].insights(found, tables["background"].rows(found)))
    assert said.text.startswith("Memory traffic of others: about ")
    assert said.low
    assert said.low > 0


def test_a_curve_of_another_machine_is_refused(quiet: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "background", "target=sim:flat", f"curve={quiet.path}", "--out", str(tmp_path / "run")]
    assert main(words) == 2
    assert "whose hardware, kernel or CPUs differ" in capsys.readouterr().err
