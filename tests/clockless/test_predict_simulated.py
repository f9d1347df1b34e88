"""Programs on simulated cores with hidden parameters, predicted for a slower memory: benchmarks/predict, in small."""

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from needs import TRACER
from scripts import with_neighbours

FOLDER = Path(__file__).parents[2] / "benchmarks" / "predict"

pytestmark = TRACER


@pytest.fixture(scope="module")
def simulated() -> ModuleType:
    with with_neighbours(FOLDER / "simulated.py") as module:
        return module


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels") / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", made, FOLDER / "kernels.c"], check=True)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("words", ["triad 60000 2 3", "chase 131072 40000 1", "gather 1048576 40000 2"])
def test_a_slower_memory_is_predicted_for_a_probed_core(
    simulated: ModuleType, kernels: Path, tmp_path: Path, words: str
) -> None:
    """The parameters of the core are known within 10 %; those of the truth are hidden."""
    found = simulated.scored(words, simulated.cell(words, [str(kernels), *words.split()], lambda _: "", tmp_path))
    assert found.truth > 1.01
    probed = found.answers["probed"]
    assert probed.ratio == pytest.approx(found.truth, rel=0.1)
    assert probed.low * 0.99 <= found.truth <= probed.high * 1.01
    assert found.answers["found"].ratio == pytest.approx(found.truth, rel=0.2)


def test_the_hidden_cores_are_always_the_same(
    simulated: ModuleType, kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The addresses of the program differ from run to run, and its sets of the caches with them."""
    import random

    monkeypatch.setattr(simulated, "probed", lambda *_: [])
    assert set(simulated.COLUMNS) == {"unknown", "short", "found", "sure", "probed"}
    assert simulated.drawn(random.Random("chase"), 0.0) == simulated.drawn(random.Random("chase"), 0.0)
    words = [str(kernels), "scan", "50000"]
    kept = [simulated.cell("same", words, lambda _: "", tmp_path, columns=["found"]) for _ in range(2)]
    one, two = (simulated.scored("same", one) for one in kept)
    assert one.truth == pytest.approx(two.truth, rel=0.02)


def test_the_listed_kernels_are_those_of_the_program(simulated: ModuleType, kernels: Path) -> None:
    """Thirty programs; a kernel that the program does not have ends with status 2."""
    import tomllib

    listed = tomllib.loads(simulated.CELLS.read_text())
    assert len(listed["kernels"]) + len(listed["cores"]) == 30
    assert {name: words.split()[0] for name, words in listed["long"].items()} == {
        name: words.split()[0] for name, words in listed["kernels"].items()
    }
    for words in {words.split()[0] for words in listed["kernels"].values()}:
        small = "64 2 1" if words != "sorted" else "64 1"
        assert subprocess.run([kernels, words, *small.split()], capture_output=True, check=False).returncode == 0, words
    assert subprocess.run([kernels, "nothing"], capture_output=True, check=False).returncode == 2


def test_a_kept_cell_is_not_replayed_again(
    simulated: ModuleType, kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replayed again for another column."""
    monkeypatch.setattr(simulated, "probed", lambda *_: [])
    calls: list[list[str]] = []

    def replay(columns: list[str]) -> object:
        calls.append(columns)
        words = [str(kernels), "scan", "20000"]
        return simulated.cell("kept", words, lambda _: "", tmp_path, columns=columns)

    path = tmp_path / "out" / "kept.json"
    for columns in (["found"], ["found"], ["sure"], ["sure"]):
        kept = simulated.kept_or_replayed(lambda columns=columns: replay(columns), path, columns)
        assert list(kept.columns) == columns
        assert simulated.scored("kept", kept).truth > 0
    assert calls == [["found"], ["sure"]]
