"""Are runs that are killed at any moment resumed, and is nothing lost?

Real suites, each as short as it can be, are stopped by KILL, TERM or INT at moments drawn evenly over the time that an
undisturbed run takes, and a little beyond; then each is resumed. After each the folder is checked: the run is complete,
each record that stood there before is the one that stands there now, and nothing is left but the files of a run.

    python benchmarks/interruptions.py --moments 300 --at-once 2

It prints one line for each suite and ends with 1 if a moment failed. 300 moments take about half an hour on two CPUs.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

SUITES = {
    "stream": "stream kernels=triad,read threads=1 array=16MiB budget=0.1",
    "stream on a simulation": "stream target=sim:optane100 kernels=read threads=1 array=4MiB",
    "latency": "latency from=16KiB to=128KiB per_octave=1 pages=4k budget=0.1",
    "latency on a simulation": "latency target=sim:ddr5 from=16KiB to=64KiB per_octave=1 pages=4k",
    "loaded-latency": "loaded-latency mixes=read delays=0,1000 array=16MiB budget=0.1",
    "contention": "contention a=node:0 b=node:0 splits=1:1 threads=1 array=16MiB budget=0.1",
    "blocks": "blocks memory=16MiB blocks=8KB operations=copy,write threads=1 budget=0.1",
    "flush": "flush footprint=16MiB total=16MiB chunks=64B,4KiB budget=0.1",
    "stride": "stride target=sim:optane100",
    "tlb": "tlb target=sim:flat pages=4k to=256",
    "buffers": "buffers target=sim:optane100 to=1MiB",
    "core-to-core": "core-to-core budget=0.02 limit=1",
    "numa": "numa budget=0.1",
    "maps": "maps structures=chained_map operations=insert,get count=2000 budget=0.1",
    "storage": "storage path=. size=16MiB",
    "neighbors": "neighbors victim=triad victim_array=4MiB aggressors=1 aggressor_array=4MiB budget=0.1",
    "groups of one's own": "own.toml",
}
OWN = """
[[experiment]]
[[experiment.group]]
kernel = "read"
footprint = "16MiB"
cpus = "0"
"""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
NAMES = re.compile(r"manifest\.json|result\.json|report[a-z-]*\.html|samples|samples/[0-9]+(-bins)?\.parquet")
START_S = 0.3  # of Python, in which nothing is begun: no moment is drawn there
LIMIT_S = 300.0
DONE = (0, 4)
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to Ctrl-C
from tierscope.cli.entry import main
sys.exit(main())
"""


@dataclass
class Counted:
    """Of one suite."""

    name: str
    seconds: float
    moments: int = 0
    begun: int = 0  # a manifest was there
    kept: int = 0  # records that were there
    failures: list[str] = field(default_factory=list)


def environment(tmp: Path) -> dict[str, str]:
    """What Python compiles is kept, for a start takes seconds without."""
    kept = {key: word for key, word in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "TMPDIR": str(tmp), "PYTHONPYCACHEPREFIX": str(tmp.parent.parent / "pycache")}


class Shell:
    """Runs the command in one folder; temporary files lie in a second."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tmp = folder / "work", folder / "tmp"
        self.tmp.mkdir(parents=True)
        self.folder.mkdir()
        (self.folder / "own.toml").write_text(OWN)

    def start(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", CODE, *words], cwd=self.folder, env=environment(self.tmp),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __call__(self, *words: str) -> tuple[int, str]:
        """Status, standard error."""
        process = self.start(*words)
        try:
            err = process.communicate(timeout=LIMIT_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, f"did not end in {LIMIT_S:.0f} s: {process.communicate()[1]}"
        return process.returncode, err


def records(run: Path) -> list[object]:
    """As they stand in the document."""
    path = run / "result.json"
    return list(json.loads(path.read_bytes())["records"]) if path.exists() else []


def faults(shell: Shell, words: str, number: signal.Signals, after_s: float, counted: Counted) -> Iterator[str]:
    """Stop one run after some seconds, resume it, and say what is wrong."""
    run = shell.folder / "run"
    process = shell.start("run", *words.split(), "--out", "run", "--quiet")
    time.sleep(after_s)
    process.send_signal(number)
    err = process.communicate(timeout=LIMIT_S)[1]
    expected = (-9,) if number == signal.SIGKILL else (128 + number, -number)
    if process.returncode not in (*DONE, *expected):
        yield f"ended with {process.returncode}: {err.strip()}"
    begun, before = (run / "manifest.json").exists(), records(run)
    told = number == signal.SIGKILL or process.returncode in DONE or "continue with: tierscope resume run" in err
    if begun and not told:
        yield f"does not say how to go on: {err.strip()!r}"
    counted.begun += begun
    counted.kept += len(before)
    again = ("resume", "run", "--quiet") if begun else ("run", *words.split(), "--out", "run", "--quiet")
    status, err = shell(*again)
    if status not in DONE:
        yield f"{again[0]} ended with {status}: {err.strip()}"
        return
    if records(run)[: len(before)] != before:
        yield "records that were there are others now"
    if not json.loads((run / "result.json").read_bytes())["complete"]:
        yield "the run is not complete"
    if strange := sorted(name for name in _below(run) if not NAMES.fullmatch(name)):
        yield f"is left in the folder: {', '.join(strange)}"
    if left := [path.name for path in shell.tmp.iterdir()]:
        yield f"is left among temporary files: {', '.join(left)}"
    if status_of_show := shell("show", "run")[0]:
        yield f"show ended with {status_of_show}"


def _below(run: Path) -> Iterator[str]:
    yield from (str(path.relative_to(run)) for path in run.rglob("*"))


def undisturbed(name: str, words: str, place: Path) -> Counted | str:
    """Seconds of a run that nobody stops, or why this machine cannot do it."""
    shell = Shell(place)
    began = time.monotonic()
    status, err = shell("run", *words.split(), "--out", "run", "--quiet")
    if status not in DONE:
        return err.strip()
    return Counted(name, time.monotonic() - began)


def moment(counted: Counted, number: int, seed: int, folder: Path) -> None:
    draw = random.Random(f"{seed} {counted.name} {number}")
    stop = SIGNALS[number % len(SIGNALS)]
    after_s = draw.uniform(START_S, max(1.05 * counted.seconds, 2 * START_S))
    place = folder / f"{abs(hash(counted.name))}-{number}"
    for fault in faults(Shell(place), SUITES[counted.name], stop, after_s, counted):
        counted.failures.append(f"{counted.name}, {stop.name} after {after_s:.2f} s: {fault}")
    counted.moments += 1
    shutil.rmtree(place)


def main() -> int:
    """Print the table; 1 where a moment failed, or fewer than twelve suites ran."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1995)
    parser.add_argument("--only", action="append", default=[], help="a suite of the table; may be repeated")
    parser.add_argument("--most-s", type=float, default=60.0, help="suites that take longer are left out")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interruptions-") as name, ThreadPoolExecutor(asked.at_once) as pool:
        folder = Path(name)
        chosen = {key: words for key, words in SUITES.items() if not asked.only or key in asked.only}
        found = dict(zip(chosen, pool.map(lambda one: undisturbed(*one, folder / one[0]), chosen.items()), strict=True))
        suites = [one for one in found.values() if isinstance(one, Counted) and one.seconds <= asked.most_s]
        for key, why in found.items():
            if why not in suites:
                print(f"left out: {key}: {why}", flush=True)
        if not suites:
            return 1
        turns = [(suites[n % len(suites)], n // len(suites)) for n in range(asked.moments)]
        list(pool.map(lambda turn: moment(*turn, asked.seed, folder), turns))
    return report(suites, few=not asked.only and len(suites) < 12)


def report(suites: list[Counted], *, few: bool) -> int:
    print(f"{'suite':26}{'seconds':>9}{'moments':>9}{'begun':>7}{'records kept':>14}{'failures':>10}")
    for one in suites:
        print(f"{one.name:26}{one.seconds:9.1f}{one.moments:9}{one.begun:7}{one.kept:14}{len(one.failures):10}")
    failures = [failure for one in suites for failure in one.failures]
    kept, moments = sum(one.kept for one in suites), sum(one.moments for one in suites)
    print(f"{len(suites)} suites, {moments} moments, {kept} records kept, {len(failures)} failures")
    print("\n".join(failures))
    if few:
        print("fewer than twelve suites ran: the rest of the list cannot be had on this machine")
    return 1 if failures or few else 0


if __name__ == "__main__":
    sys.exit(main())
