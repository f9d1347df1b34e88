"""Does `compare --rerun` find a real difference, and no other, on this machine?

    python benchmarks/compare_repeat.py [--repeats 20] [--rounds 5] [--slowdown 0.03]

Each repeat is a real `tierscope compare --rerun`: a setting against itself, then against one that is slower by a known
share. The setting is one thread that reads 16 KiB in a cache and waits a counted number of core cycles after each KiB.
The wait is some hundred times as long as the reads, so one that is longer by 3 % makes the whole slower by 3 %, to a
few parts in 10 000, on any machine. Nothing else differs, so the true ratio is known although the speed is not. The
script prints the share of each verdict with Wilson's 95 % interval, the aims, and the noise of a round. The aims: no
difference shown in 95 of 100; the slowdown found in 90 of 100 of those that are not inconclusive.

Exit status: 0 both shares reach their aims, 1 one does not, 4 all of one kind were inconclusive: the machine is too
noisy. A repeat takes some 6 s on a quiet machine, 14 s where all CPUs are taken: 20 take two to five minutes.
Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22, 1927.
"""

import argparse
import contextlib
import io
import json
import math
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import NormalDist, median, stdev
from typing import Any

from tierscope.cli.main import main as tierscope
from tierscope.errors import Exit

PACE = 20_000  # core cycles after each KiB: the reads of one take some fifty
PLAN = """
[schedule]
precision = 0.02
minimum = "150ms"
budget = "400ms"

[[experiment]]
label = "paced reads"
[[experiment.group]]
kernel = "read"
cpus = "{cpu}"
footprint = "16KiB"
pace = {pace}
"""
SAME, SLOWER, NONE = "no difference shown", "slower", "inconclusive"
AIMS = {SAME: 0.95, SLOWER: 0.90}


def wilson(hits: int, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the bounds of the share that `hits` of `count` come from; (0, 1) where nothing was counted."""
    if not count:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, wide = hits / count, z * z / count
    middle, half = share + wide / 2, z * math.sqrt(share * (1 - share) / count + wide / count / 4)
    return max(0.0, (middle - half) / (1 + wide)), min(1.0, (middle + half) / (1 + wide))


def say(*words: str) -> str:
    """Return the standard output of a command; its failure ends the script."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = tierscope(list(words))
    if status not in (Exit.GOOD, Exit.FAILED, Exit.INCONCLUSIVE):
        sys.exit(f"tierscope {' '.join(words)}: {said(err)}")
    return said(out)


def said(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def measured(folder: Path, name: str, pace: int, cpu: str) -> str:
    """Return the run that the rounds repeat."""
    plan = folder / f"{name}.toml"
    plan.write_text(PLAN.format(pace=pace, cpu=cpu))
    say("run", str(plan), "--out", str(folder / name), "--quiet")
    return str(folder / name)


def compared(pair: tuple[str, str], place: Path, rounds: int) -> dict[str, Any]:
    out = say("compare", *pair, "--rerun", str(rounds), "--out", str(place), "--json")
    (row,) = json.loads(out)["rows"]
    return dict(row)


def told(what: str, aim: str, rows: list[dict[str, Any]]) -> str:
    words = Counter(str(row["verdict"]) for row in rows)
    sure = len(_counted(aim, rows))
    low, high = wilson(words[aim], sure)
    ratio, noise = median(row["ratio"] for row in rows), median(stdev(map(math.log, row["ratios"])) for row in rows)
    counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
    return (
        f"| {what} | {counts} | {words[aim]} of {sure} ({low:.2f} to {high:.2f}) | {AIMS[aim]:.2f} | {ratio:.4f} | "
        f"{100 * noise:.2f} % |"
    )


def verdict(aim: str, rows: list[dict[str, Any]]) -> Exit:
    """Print the shares of the verdicts; return whether they reach the aim."""
    if all(row["verdict"] == NONE for row in rows):
        return Exit.INCONCLUSIVE
    counted = _counted(aim, rows)
    return Exit.GOOD if sum(row["verdict"] == aim for row in counted) >= AIMS[aim] * len(counted) else Exit.FAILED


def _counted(aim: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that count: a slowdown may be inconclusive because of noise, a comparison with itself may not."""
    return [row for row in rows if aim == SAME or row["verdict"] != NONE]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slowdown", type=float, default=0.03)
    parser.add_argument("--cpu", default="0")
    asked = parser.parse_args()
    found: dict[str, list[dict[str, Any]]] = {SAME: [], SLOWER: []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fast, slow = (
            measured(folder, str(pace), pace, asked.cpu) for pace in (PACE, round(PACE * (1 + asked.slowdown)))
        )
        for repeat in range(asked.repeats):
            for aim, pair in ((SAME, (fast, fast)), (SLOWER, (fast, slow))):
                found[aim].append(compared(pair, folder / f"{repeat}-{aim}", asked.rounds))
    print("| compared | verdicts | unchanged | aim | median ratio | spread of a round |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(told("with itself", SAME, found[SAME]))
    print(told(f"with {100 * asked.slowdown:g} % slower ({1 / (1 + asked.slowdown):.4f})", SLOWER, found[SLOWER]))
    return max(verdict(aim, rows) for aim, rows in found.items())


if __name__ == "__main__":
    sys.exit(main())
