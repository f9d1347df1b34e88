"""Are runs that are killed at any moment resumed, and is nothing lost?

Real suites, each as short as it can be, are stopped by KILL, TERM or INT at moments drawn evenly over the time that an
undisturbed run takes, and a little beyond; then each is resumed. After each the folder is checked: the run is complete,
each record that was there before is unchanged, and only the files of a run are left.

    python benchmarks/interruptions.py --moments 300 --at-once 2

It prints one line for each suite and ends with 1 if a moment failed, or if the time did not suffice for all of them.
The command starts as `forks.py` describes.
"""

import argparse
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from forks import Ended, Forks

from tierscope.errors import TierscopeError
from tierscope.plans import suites as known
from tierscope.record.result import load

SUITES = {
    "stream": "stream kernels=triad,read,copy threads=1 array=16MiB budget=0.1",
    "stream on a simulation": "stream target=sim:optane100 kernels=read threads=1 array=1MiB budget=0.1",
    "latency": "latency from=16KiB to=64KiB per_octave=1 pages=4k budget=0.1",
    "latency on a simulation": "latency target=sim:ddr5 from=16KiB to=32KiB per_octave=1 pages=4k budget=0.1",
    "loaded-latency": "loaded-latency mixes=read delays=0,1000 array=16MiB budget=0.1",
    "contention": "contention a=node:0 b=node:0 modes=b-b splits=1:1 threads=1 array=16MiB budget=0.1",
    "blocks": "blocks memory=1MiB blocks=8KB operations=copy,write threads=1 budget=0.1 limit=0.1",
    "flush": "flush footprint=16MiB total=16MiB chunks=64B,4KiB instructions=nt,none budget=0.1 limit=0.1",
    "stride": "stride target=sim:optane100 strides=64B,256B access=64B op=read threads=1 footprint=1MiB budget=0.1",
    "tlb": "tlb target=sim:flat pages=4k to=64 per_octave=2 budget=0.1",
    "buffers": "buffers target=sim:optane100 to=256KiB footprint=1MiB op=read budget=0.1 limit=0.1",
    "core-to-core": "core-to-core budget=0.02 limit=1",
    "numa": "numa array=16MiB budget=0.1",
    "maps": "maps structures=robin_map operations=insert,get count=2000 budget=0.1",
    "storage": "storage path=. size=16MiB blocks=4KiB mixes=read orders=random depths=1,2 repeat=0.1 ramp=0 budget=0.3 "
    "limit=0.1",
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
NAMES = re.compile(r"manifest\.json|result\.json|report[a-z-]*\.html|samples|samples/[0-9]+(-[0-9]+|-bins)?\.parquet")
DONE = (0, 4)
READING = Lock()  # one at a time: the reader of samples is not made for threads


@dataclass
class Counted:
    """The counts of one suite."""

    name: str
    seconds: float
    pace_s: float  # of a whole run lately: other programs come and go
    moments: int = 0
    begun: int = 0  # a manifest was there
    kept: int = 0  # records that were there
    failures: list[str] = field(default_factory=list)


class Shell:
    """Runs the command in one folder; temporary files are located in a second."""

    def __init__(self, folder: Path, forks: Forks) -> None:
        self.folder, self.tmp, self._forks = folder / "work", folder / "tmp", forks
        self.tmp.mkdir(parents=True)
        self.folder.mkdir()
        (self.folder / "own.toml").write_text(OWN)

    def __call__(self, *words: str, stop: signal.Signals | None = None, after_s: float = 0.0) -> Ended:
        return self._forks((*words, "--quiet"), self.folder, self.tmp, stop, after_s)


def records(run: Path) -> tuple[list[object], list[object]]:
    """Return the records of points, and those of their further visits, as the document contains them."""
    path = run / "result.json"
    found = json.loads(path.read_bytes()) if path.exists() else {}
    return list(found.get("records", [])), list(found.get("visits", []))


def faults(shell: Shell, words: str, number: signal.Signals, after_s: float, counted: Counted) -> Iterator[str]:
    """Stop one run after some seconds, resume it, and yield what is wrong."""
    run, fresh = shell.folder / "run", ("run", *words.split(), "--out", "run")
    ended = shell(*fresh, stop=number, after_s=after_s)
    expected = (-9,) if number == signal.SIGKILL else (128 + number, -number)
    if ended.status not in (*DONE, *expected):
        yield f"ended with {ended.status}: {ended.err.strip()}"
    if ended.status in DONE:
        counted.pace_s = ended.seconds
    begun, before = (run / "manifest.json").exists(), records(run)
    told = number == signal.SIGKILL or ended.status in DONE or "continue with: tierscope resume run" in ended.err
    if begun and not told:
        yield f"does not show how to continue: {ended.err.strip()!r}"
    counted.begun += begun
    counted.kept += sum(map(len, before))
    again = ("resume", "run") if begun else fresh
    if (ended := shell(*again)).status not in DONE:
        yield f"{again[0]} ended with {ended.status}: {ended.err.strip()}"
        return
    if any(now[: len(then)] != then for now, then in zip(records(run), before, strict=True)):
        yield "records that were there are others now"
    yield from _wrong(run)
    if left := [path.name for path in shell.tmp.iterdir()]:
        yield f"is left among temporary files: {', '.join(left)}"


def _wrong(run: Path) -> Iterator[str]:
    """Yield what is missing in a run that should be complete, and what is too much."""
    try:
        read = load(run)
        with READING:
            for record in (*read.result.records, *read.result.visits):
                read.blocks(record)
    except TierscopeError as error:
        yield f"cannot be read: {error}"
        return
    if not read.result.complete:
        yield "the run is not complete"
    if not list(run.glob("report*.html")):
        yield "the run has no page"
    if strange := sorted(name for name in _below(run) if not NAMES.fullmatch(name)):
        yield f"is left in the folder: {', '.join(strange)}"


def _below(run: Path) -> Iterator[str]:
    yield from (str(path.relative_to(run)) for path in run.rglob("*"))


def undisturbed(name: str, words: str, place: Path, forks: SimpleQueue[Forks]) -> Counted | str:
    """Return the counts, with the seconds of an undisturbed run, or why this machine cannot do it."""
    one = forks.get()
    try:
        ended = Shell(place, one)("run", *words.split(), "--out", "run")
    finally:
        forks.put(one)
    if ended.status not in DONE:
        return ended.err.strip() or f"ended with {ended.status}"
    counted = Counted(name, ended.seconds, ended.seconds)
    print(f"{name:26}{counted.seconds:9.1f} s undisturbed", file=sys.stderr, flush=True)
    return counted


def moment(counted: Counted, number: int, seed: int, folder: Path, forks: SimpleQueue[Forks]) -> None:
    draw = random.Random(f"{seed} {counted.name} {number}")
    stop = SIGNALS[number % len(SIGNALS)]
    after_s = draw.uniform(0, 1.05 * counted.pace_s)
    place = folder / f"{counted.name} {number}"
    one = forks.get()
    try:
        found = list(faults(Shell(place, one), SUITES[counted.name], stop, after_s, counted))
    except (OSError, ValueError) as error:
        found = [f"{type(error).__name__}: {error}"]
    finally:
        forks.put(one)
    for fault in found:
        counted.failures.append(f"{counted.name}, {stop.name} after {after_s:.2f} s: {fault}")
        print(counted.failures[-1], file=sys.stderr, flush=True)
    counted.moments += 1
    shutil.rmtree(place)


def main() -> int:
    """Print the table; return 1 where a moment failed, or fewer than twelve suites ran."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1995)
    parser.add_argument("--minutes", type=float, default=60.0, help="no moment begins later")
    parser.add_argument("--only", action="append", default=[], help="a suite of the table; may be repeated")
    asked = parser.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    print("not in the table:", ", ".join(sorted({*known} - {words.split()[0] for words in SUITES.values()})))
    forks: SimpleQueue[Forks] = SimpleQueue()
    for one in [Forks() for _ in range(asked.at_once)]:
        one.wait()
        forks.put(one)
    with tempfile.TemporaryDirectory(prefix="interruptions-") as name, ThreadPoolExecutor(asked.at_once) as pool:
        folder = Path(name)
        chosen = {key: words for key, words in SUITES.items() if not asked.only or key in asked.only}
        found = list(pool.map(lambda one: undisturbed(*one, folder / one[0], forks), chosen.items()))
        suites = [one for one in found if isinstance(one, Counted)]
        for key, why in zip(chosen, found, strict=True):
            if isinstance(why, str):
                print(f"left out: {key}: {why}", flush=True)
        if not suites:
            return 1
        turns = [(suites[n % len(suites)], n // len(suites)) for n in range(asked.moments)]

        def turn(one: tuple[Counted, int]) -> None:
            if time.monotonic() < until:
                moment(*one, asked.seed, folder, forks)

        list(pool.map(turn, turns))
    for _ in range(asked.at_once):
        forks.get().close()
    few = not asked.only and len(suites) < 12
    return report(suites, few=few) or int(sum(one.moments for one in suites) < asked.moments)


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
