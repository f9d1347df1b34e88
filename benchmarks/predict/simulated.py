"""Score `tierscope predict -- PROGRAM` on simulated cores with hidden parameters: [kernels] and [cores] of cells.toml.

    .venv/bin/python benchmarks/predict/simulated.py [--draw NUMBER] [--out FOLDER] [CELL...] > table.md

Truth: the program on a core whose parameters are drawn for each cell, on a near memory and on a far one, timed from its
first to its last instruction. The prediction knows the caches and both memories, the time on the near memory, and the
properties of the core that its columns state:

    unknown    nothing but the cycle: the cores of `tierscope predict` where the core cannot be probed
    short      what `tierscope predict` probes by itself, within 10 %: width, buffers, and the cost of a branch miss
    found      what that run finds on the hidden core, with probes of its lines in flight, its prefetcher and its
               fetching of code (probes.py)
    sure       the same, and only cores with the kind of prefetcher that the run is sure of
    probed     all its parameters within 10 %, as `run core` leaves them, and its kind of prefetcher

The trace of the prediction is another run of the program, with the units that `tierscope predict` would time in a
program of this speed. The last cache here is a quarter of that of a small server. So kernels have a quarter of its
instructions before gaps, in gaps and their lines, and in what warms caches; their units are shorter than that, to cost
less. The sampling is therefore scored here, but the tracer and the form of the simulation are not. Only the own core
times units as a whole, as in `tierscope predict`.

A hidden core also has a share of branches whose wrong path meets the right one: none, all, or any. No column knows it.

--draw: hidden cores and memories of another draw. cells.toml lists the draws, before their cells are run.
--lines: instructions of a gap that state their lines. By default, nearly all do. Fewer make the gaps like those of a
long program, whose first part states nothing.
--columns: these alone.
--wrong-path: this share, instead of the one that is drawn.
--fetch: the hidden core fetches its instructions. The columns of a short run know what that run found of it; no other
one knows how far ahead, nor the targets and pages that it knows.
--out: what was replayed for a cell is kept there, and is not replayed again for the same native core and columns. So a
later rule can be scored on the same traces.
"""

import argparse
import hashlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
from goals import SIMULATED, Told, errors, summary
from hidden import CACHES, COLUMNS, FETCH, INSTANT, LAST_LINES, LINES, drawn, known, memories, shorter
from inputs import made
from probes import probed
from readings import chosen
from rivals import misses_times_latency, ratio_of_latencies

from tierscope.core import find_core
from tierscope.errors import TierscopeError
from tierscope.files import write_atomically
from tierscope.predict.program.anchor import Lineup, anchor
from tierscope.predict.program.answer import Answer, answer
from tierscope.predict.program.cold import NONE, Doubt, doubt
from tierscope.predict.program.cores import COUNT
from tierscope.predict.program.native import Native
from tierscope.simulated.begun import asked, completed
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import words_of
from tierscope.simulated.tracer import BEGIN, for_many, runnable
from tierscope.stats.median import Interval

Parts = Callable[[float], str]
"""Seconds of a program on the near memory -> its sampling (tracer/README.md)."""

HERE = Path(__file__).parent
CELLS = HERE / "cells.toml"
LIMIT_S = 1200.0
REPEATS = 100
PROBES = ("found", "sure")  # columns of a short run of `core`
Both = tuple[Traced, Traced]
"""On the near and on the far memory."""


class Kept(msgspec.Struct, frozen=True):
    """The replays of a cell.

    columns: each core of a column, the own one first, in all readings of the front end; instant: the first two.
    """

    truth: Both
    columns: dict[str, tuple[Both, ...]]
    instant: dict[str, tuple[Traced, ...]]
    latencies_s: tuple[float, float]
    core: str = ""  # digest of the native core


@dataclass(frozen=True)
class Cell:
    """One program: the truth, and the predictions."""

    name: str
    truth: float
    answers: dict[str, Answer]  # by column
    latencies: float  # ratio of the memories' latencies
    misses: float  # the prediction of misses x latency


def cell(
    name: str, command: list[str], parts: Parts, folder: Path, number: int = 0, columns: Sequence[str] = COLUMNS,
    wrong_path: float | None = None, *, fetch: bool = False,
) -> Kept:  # fmt: skip
    """Replay one program. Its machines are always the same for one name and draw. parts: of the seconds near."""
    seed = name if number == 0 else f"{name} draw {number}"
    draw = random.Random(seed)
    words = fetched(seed, number) if fetch else ""
    hidden, tiers = drawn(draw, shared(seed) if wrong_path is None else wrong_path, words), memories(draw)
    guess = hidden.off(draw)
    place = "".join(sign if sign.isalnum() else "-" for sign in name)  # a target has no spaces
    *files, immediate = (
        written(folder / f"{place}-{n}.toml", word, fetch=fetch) for n, (_, word) in enumerate((*tiers, (0, INSTANT)))
    )
    rows = probed(files[0] + hidden.word(), folder / f"core-{place}") if set(columns) & set(PROBES) else []
    cores = {which: words for which, words in known(guess, rows).items() if which in columns}
    truth = through([file + hidden.word() for file in files], command)
    machines = [file + core for words in cores.values() for core in words for file in files]
    machines += [immediate + word for words in cores.values() for word in words[:2]]
    once = list(dict.fromkeys(machines))
    sampling = parts(seconds(truth[0]))
    own, unit = begun(cores, files, immediate), re.search("unit=([0-9]+)", sampling)
    asked_for = asked(once, own, int(unit[1]) // BEGIN) if unit else once
    found = dict(zip(once, through(asked_for, command, sampling), strict=True))
    found = completed(found, own)
    near, far = files
    return Kept(
        (truth[0], truth[1]),
        {which: tuple((found[near + core], found[far + core]) for core in words) for which, words in cores.items()},
        {which: tuple(found[immediate + word] for word in words[:2]) for which, words in cores.items()},
        (tiers[0][0] * 1e-9, tiers[1][0] * 1e-9),
        digest(),
    )


def begun(cores: Mapping[str, Sequence[str]], files: Sequence[str], immediate: str) -> dict[str, str]:
    """Return the machines that time the begin of units alone, and those that complete them, as `part.completed_by`."""
    timed = {file + word for words in cores.values() for word in words[:2] for file in files}
    own = {file + core: file + words[0] for words in cores.values() for core in words for file in files}
    own |= {immediate + word: files[0] + words[0] for words in cores.values() for word in words[:2]}
    return {word: other for word, other in own.items() if word not in timed}


def shared(seed: str) -> float:
    """Return the hidden share of wrong paths that meet the right one: a draw of its own, so that the others stay."""
    draw = random.Random(f"{seed}, wrong paths")
    return draw.choice([0.0, draw.random(), 1.0])


def fetched(seed: str, number: int) -> str:
    """Return how a hidden core fetches instructions: a draw of its own, so that the others stay.

    number: of the draw; 8238 has the usual targets and pages, and lines are next to each other before 8240.
    """
    draw = random.Random(f"{seed}, ahead")
    words = f",core.fetch.ahead={draw.choice([0, 8, 16, 64])}"
    if number == 8238:
        return words
    if number >= 8240:
        words += f",core.fetch.between={draw.choice([0, 2, 4, 8])}"
    return words + (f",core.fetch.targets={draw.choice([1024, 4096, 16384])},core.fetch.redirect={draw.randint(1, 14)}"
                    f",core.fetch.pages={draw.choice([32, 64, 256])}")  # fmt: skip


def digest() -> str:
    return hashlib.sha256(find_core().read_bytes()).hexdigest()[:16]


def scored(name: str, one: Kept) -> Cell:
    """Return the score, by the rules of `tierscope predict`."""
    here, there = map(repeated, one.truth)
    first = next(iter(one.columns.values()))[0][0]  # the first machine of the trace contains the warming
    unsure = doubt(first, LAST_LINES)
    answers = {
        which: told(here, *map(tuple, zip(*(map(repeated, both) for both in pairs), strict=True)),
                    tuple(map(repeated, one.instant[which])), unsure)
        for which, pairs in one.columns.items()
    }  # fmt: skip
    near_s, far_s = one.latencies_s
    misses = REPEATS * here.counters["L3.load_misses"]
    return Cell(
        name, seconds(there) / seconds(here), answers, ratio_of_latencies(near_s, far_s),
        misses_times_latency(misses, far_s - near_s, seconds(here)),
    )  # fmt: skip


def through(machines: list[str], command: list[str], sampling: str = "") -> tuple[Traced, ...]:
    """Return what each machine makes of one run of the program."""
    with tempfile.TemporaryFile() as said:
        return replayed(
            words_of(machines), command, sampling=sampling, output=said.fileno(), limit_s=LIMIT_S, warm_once=True
        )


def repeated(one: Traced) -> Traced:
    """Return a program that runs repeatedly: `predict` refuses short ones, since real clocks have ticks."""
    parts = tuple((gap, count, REPEATS * time) for gap, count, time in one.parts)
    return msgspec.structs.replace(one, seconds=REPEATS * seconds(one), parts=parts)


def seconds(one: Traced) -> float:
    assert one.seconds
    return one.seconds


def written(path: Path, memory: str, *, fetch: bool = False) -> str:
    """Return the path of a file of the machine with this memory."""
    path.write_text(CACHES.format(memory=memory) + (FETCH if fetch else ""))
    return str(path)


def told(
    truth: Traced,
    near: tuple[Traced, ...],
    far: tuple[Traced, ...],
    instant: tuple[Traced, ...] = (),
    unsure: Doubt = NONE,
) -> Answer:
    """Return the answer anchored to the time on the hidden core, which has no noise and no time in the kernel.

    near, far: cores, the own one first; instant: of its first two readings of the front end. The better one answers.
    """
    time = seconds(truth)
    exact = Interval(time, time, time, 9)
    (near, far, instant), mixture = chosen(time, near, far, instant)
    first = instant[0] if instant else None
    readings = len(near) - 1 - COUNT
    here = anchor(Native(exact, exact, 0.0, 9), near, "", (), first, unsure, Lineup(readings, mixture))
    return answer("far", here, far, None, None, None)


def cells(asked: argparse.Namespace, folder: Path) -> list[Cell]:
    listed = tomllib.loads(CELLS.read_text())
    files = made(folder)
    kernels = folder / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", kernels, HERE / "kernels.c"], check=True)
    every: dict[str, tuple[list[str], Parts]] = {
        name: ([str(kernels), *words.split()], partial(shorter, lines=asked.lines))
        for name, words in listed["long"].items()
    }
    every |= {
        f"{name} (program)": ([files.get(word, word) for word in words], for_many)
        for name, words in listed["cores"].items()
    }
    every |= {f"{name} (code)": ([files.get(word, word) for word in words], for_many)
              for name, words in listed["code"].items()}  # fmt: skip
    found = []
    for name in asked.cell or every:
        command, parts = every[name]
        share = "" if asked.wrong_path is None else f", {asked.wrong_path:g}"
        share += ", fetch" if asked.fetch else ""
        path = asked.out / f"{name}, {asked.draw}, {asked.lines}{share}.json" if asked.out else None
        replay = partial(cell, name, runnable(command), parts, folder, asked.draw, asked.columns, asked.wrong_path,
                         fetch=asked.fetch)  # fmt: skip
        try:
            found.append(scored(name, kept_or_replayed(replay, path, asked.columns)))
        except TierscopeError as error:
            print(f"{name}: {error}", file=sys.stderr)
        else:
            print(row(found[-1]), flush=True)
    return found


def kept_or_replayed(replay: Callable[[], Kept], path: Path | None, columns: Sequence[str]) -> Kept:
    """Return what was replayed of a cell; it is replayed unless `path` has these columns, by the same native core."""
    if path is not None and path.exists():
        kept = msgspec.json.decode(path.read_bytes(), type=Kept)
        if kept.core == digest() and set(columns) <= set(kept.columns):
            return msgspec.structs.replace(kept, columns={which: kept.columns[which] for which in columns})
    found = replay()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(found))
    return found


def row(one: Cell) -> str:
    def words(found: Answer) -> str:
        if found.ratio is None or found.low is None or found.high is None:
            return f"not known ({found.unknown[:40]}) | | "
        inside = "" if found.low <= one.truth <= found.high else " !"
        return f"{found.ratio:.3f} | {found.low:.2f} to {found.high:.2f}{inside} | {found.ratio / one.truth - 1:+.1%}"

    rivals = f"{one.latencies:.2f} | {one.misses:.2f}"
    answers = " | ".join(map(words, one.answers.values()))
    return f"| {one.name} | {one.truth:.3f} | {answers} | {rivals} |"


def main(asked: argparse.Namespace) -> None:
    titles = " | ".join(f"{name} core | bounds | error" for name in asked.columns)
    print(f"| cell | truth | {titles} | latencies | misses x latency |")
    print("|---|" + "---:|" * (3 * len(asked.columns) + 3))
    with tempfile.TemporaryDirectory() as name:
        found = cells(asked, Path(name))
    print()
    for which in asked.columns:
        answers = [(one.truth, one.answers[which]) for one in found]
        print("\n".join(summary(f"{which} core", [Told(t, a.ratio, a.low, a.high) for t, a in answers], SIMULATED)))
    for name, which in (("ratio of latencies", "latencies"), ("misses x latency", "misses")):
        print(errors(name, [Told(one.truth, getattr(one, which)) for one in found], SIMULATED))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=0, metavar="NUMBER", help="of the hidden cores and memories")
    parser.add_argument("--lines", type=int, default=LINES, metavar="NUMBER", help="instructions of a gap, at most")
    parser.add_argument("--columns", type=lambda text: text.split(","), default=COLUMNS, metavar="NAME,...")
    parser.add_argument("--wrong-path", type=float, metavar="SHARE", help="of branches; default: drawn")
    parser.add_argument("--fetch", action="store_true", help="the hidden core fetches its instructions")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep what was replayed here, and use it again")
    parser.add_argument("cell", nargs="*", help="default: all")
    asked = parser.parse_args()
    if other := set(asked.columns) - set(COLUMNS):
        parser.error(f"no columns: {', '.join(sorted(other))}; known: {', '.join(COLUMNS)}")
    return asked


if __name__ == "__main__":
    main(options())
