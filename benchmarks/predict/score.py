"""Score `tierscope predict -- PROGRAM` on the cells of cells.toml with pages of 4 KiB and of 2 MiB.

    .venv/bin/python benchmarks/predict/score.py [CELL...] > table.md

Truth: the program here with GLIBC_TUNABLES=glibc.malloc.hugetlb=1, which gives its heap pages of 2 MiB. Prediction:
from its time with 4 KiB pages. Prints a Markdown row for each cell, misses as well as hits. `noise` is the half-width
of the 95 % interval of the truth. Cells whose program is absent here are rows, too. [cores] is not scored yet.
"""

import os
import random
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from tierscope.errors import TierscopeError
from tierscope.predict.program.answer import anchor, answer
from tierscope.predict.program.asked import replay_words
from tierscope.predict.program.here import runs_here
from tierscope.predict.program.machines import SMALL_PAGE, Here, places
from tierscope.predict.program.native import measured
from tierscope.simulated.tracer import runnable

CELLS = Path(__file__).with_name("cells.toml")
HUGE = "glibc.malloc.hugetlb=1"
LIMIT_S = 60.0
NUMBERS, LINES = 400_000, 60_000


def main(names: list[str]) -> None:
    cells = tomllib.loads(CELLS.read_text())["pages"]
    print("| cell | model / measured | predicted | bounds | measured | noise | error |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = made(folder)
        here = places(runs_here((), lambda text: print(text, file=sys.stderr)), (), folder / "machines", SMALL_PAGE)
        for cell in names or cells:
            words = [files.get(word, word) for word in cells[cell]]
            print(f"| {cell} | {row(words, here)} |", flush=True)


def made(folder: Path) -> dict[str, str]:
    """Return the path of each input file, made again and always the same."""
    draw = random.Random(1995)
    (folder / "machines").mkdir()
    (folder / "numbers").write_text("".join(f"{draw.randrange(10**9)}\n" for _ in range(NUMBERS)))
    word = [f"w{draw.randrange(5000)}" for _ in range(LINES * 8)]
    (folder / "text").write_text("".join(" ".join(word[i : i + 8]) + "\n" for i in range(0, len(word), 8)))
    return {"{numbers}": str(folder / "numbers"), "{text}": str(folder / "text")}


def row(words: list[str], here: Here) -> str:
    if shutil.which(words[0]) is None:
        return "absent here | | | | |"
    try:
        command = runnable(words)
        native = measured(command, LIMIT_S)
        os.environ["GLIBC_TUNABLES"] = HUGE
        try:
            truth = measured(command, LIMIT_S)
        finally:
            del os.environ["GLIBC_TUNABLES"]
        small, large = (word.split(",")[0] for word in (here.own.word, here.own.large))
        count = len(here.own.words)
        machines = here.own.words + [word.replace(small, large, 1) for word in here.own.words]
        traced, said = replay_words(command, machines, LIMIT_S * 20)
        found = list(traced.values())
    except TierscopeError as error:
        return f"refused: {error} | | | | |"
    told = answer("2 MiB", anchor(native, found[:count], said), found[count:], None, None, None)
    real = truth.wall_s.middle / native.wall_s.middle
    ratio = anchor(native, found[:3], said).ratio
    if told.ratio is None or told.low is None or told.high is None:
        model = "" if ratio is None else f"{ratio:.2f}"
        return f"{model} | not known: {told.unknown} | | {real:.3f} | {truth.wall_s.relative:.1%} |"
    inside = "" if told.low <= real <= told.high else " !"
    return (f"{ratio:.2f} | {told.ratio:.3f} | {told.low:.3f} to {told.high:.3f} | {real:.3f} | "
            f"{truth.wall_s.relative:.1%} | {told.ratio / real - 1:+.1%}{inside}")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
