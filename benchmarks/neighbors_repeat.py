"""Do the intervals of repeated neighbours experiments cover each other, and does sleeping cost nothing?

    python benchmarks/neighbors_repeat.py [--repeats 11] [WORD=VALUE ...]

Each repeat is a run of its own (`tierscope run neighbors WORD=VALUE ...`), with memory mapped again, followed by the
same with sleeping aggressors. For each row it counts the pairs of consecutive repeats whose intervals overlap, and
those in which each contains the other's middle (at best 83 of 100 for 95 % intervals of equal width). It also counts
the intervals of the control that cover 1.00. Inconclusive rows count too, and are also counted separately. It prints;
nothing is asserted.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from tierscope.errors import Exit

Rows = list[dict[str, Any]]
Key = tuple[str, int, int]


def measure(words: list[str]) -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.json"
        command = [str(Path(sys.executable).with_name("tierscope")), "run", "neighbors", *words]
        done = subprocess.run([*command, "--quiet", "--json", rows, "--out", Path(folder) / "run"], check=False)
        if done.returncode not in (Exit.GOOD, Exit.INCONCLUSIVE):
            sys.exit(done.returncode)
        return [row for row in json.loads(rows.read_text())["rows"] if row["table"] == "neighbors"]


def compared(rows: Rows) -> dict[Key, dict[str, Any]]:
    """Return the rows that are compared with another row, by victim, victims, aggressors."""
    return {
        (str(row["command"] or row["victim"]), row["victims"], row["aggressors"]): row
        for row in rows
        if row["against"] != "itself" and row["slowdown"]
    }


def meet(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return bool(a["slowdown_low"] <= b["slowdown_high"] and b["slowdown_low"] <= a["slowdown_high"])


def hold(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(one["slowdown_low"] <= other["slowdown"] <= one["slowdown_high"] for one, other in ((a, b), (b, a)))


def told(key: Key, found: Rows) -> str:
    pairs = list(pairwise(found))
    middles = ", ".join(f"{row['slowdown']:.3f}" for row in found)
    met, held = (sum(test(a, b) for a, b in pairs) for test in (meet, hold))
    unsure = sum(not row["conclusive"] for row in found)
    name = f"{key[1]} {key[0]}, {key[2]} aggressors"
    return f"| {name} | {middles} | {met} of {len(pairs)} | {held} of {len(pairs)} | {unsure} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("words", nargs="*", default=["victim=flow,chase,triad"])
    asked = parser.parse_args()
    working: dict[Key, Rows] = defaultdict(list)
    asleep: dict[Key, Rows] = defaultdict(list)
    for _ in range(asked.repeats):
        for found, more in ((working, []), (asleep, ["aggressor=sleep"])):
            words = [word for word in asked.words if not (more and word.startswith("aggressor="))]
            for key, row in compared(measure([*words, *more])).items():
                found[key].append(row)
    print("| row | slowdowns | intervals meet | each contains the other's middle | inconclusive |")
    print("| --- | --- | --- | --- | --- |")
    for key, rows in working.items():
        print(told(key, rows))
    for key, rows in asleep.items():
        covered = sum(row["slowdown_low"] <= 1 <= row["slowdown_high"] for row in rows if key[2])
        if key[2]:
            print(f"asleep: {key[1]} {key[0]}, {key[2]} aggressors: {covered} of {len(rows)} intervals cover 1.00")
    return 0


if __name__ == "__main__":
    sys.exit(main())
