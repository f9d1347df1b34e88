"""Repeat the canary on this machine, and print its time, its share of a day, and how well it repeats.

    .venv/bin/python benchmarks/fleet_canary.py [SESSIONS]

For each metric: the spread of its value from session to session (standard deviation of the logarithm), the half width
that a session states, and the share of pairs of sessions whose intervals overlap. The spread of one session is what
`fleet outliers` compares hosts by; a week's mean is better by about the square root of seven. Then the table of
docs/how-to/fleet-run.md: kind, metrics, median and largest spread of one session. Use a quiet machine.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from math import log
from pathlib import Path

import msgspec

from tierscope.fleet.host_report import HostReport, Number

DAY_S, MOST = 86400.0, 0.0003  # goal of the share of a day


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    program = str(Path(sys.executable).with_name("tierscope"))
    took, found = [], dict[str, list[Number]]()
    with tempfile.TemporaryDirectory(prefix="tierscope-canary-") as folder:
        for session in range(count):
            begin = time.monotonic()
            words = [program, "fleet", "run", "--via", "local", "--out", folder, "--session", str(session)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            took.append(time.monotonic() - begin)
            if done.returncode:
                print(done.stdout, done.stderr)
        for path in sorted(Path(folder).glob("reports/*/*.json")):
            report = msgspec.json.decode(path.read_bytes(), type=HostReport)
            for one in report.numbers:
                found.setdefault(one.metric, []).append(one)
            print(f"load {report.facts.get('load_1min')}, steal {report.facts.get('steal')}")
    for metric, numbers in sorted(found.items()):
        print(line(metric, numbers))
    print("| kind | metrics | spread of a session (median) | largest spread |\n|---|---|---|---|")
    for kind in sorted({kind_of(metric) for metric in found}):
        print(row(kind, [numbers for metric, numbers in found.items() if kind_of(metric) == kind]))
    print(row("all", [*found.values()]))
    share = max(took) / DAY_S
    print(f"{'ok    ' if share <= MOST else 'MISSED'} longest session {max(took):.1f} s with the start of the program, "
          f"{share:.4%} of a day (goal <= {MOST:.2%}); median {statistics.median(took):.1f} s")  # fmt: skip
    return 0 if share <= MOST else 1


def kind_of(metric: str) -> str:
    """Return the kind of a metric: latency of small footprints or of memory, bandwidth of one CPU or of all."""
    if metric.startswith("latency"):
        return "latency, memory" if ".memory." in metric else "latency, up to 32 MiB"
    return f"bandwidth, {'all CPUs' if '.all' in metric else 'one CPU'}"


def row(kind: str, metrics: list[list[Number]]) -> str:
    """Return a line of the table of docs/how-to/fleet-run.md."""
    spreads = [spread(numbers) for numbers in metrics if len(numbers) > 2]
    if not spreads:
        return f"| {kind} | three sessions or more are needed |"
    return f"| {kind} | {len(spreads)} | {statistics.median(spreads):.1%} | {max(spreads):.1%} |".replace("%", " %")


def spread(numbers: list[Number]) -> float:
    """Return the standard deviation of the logarithm of the values."""
    return statistics.stdev(log(one.value) for one in numbers)


def line(metric: str, numbers: list[Number]) -> str:
    """Return the figures of one metric."""
    half = statistics.median((one.high - one.low) / 2 / one.value for one in numbers)
    pairs = [one.low <= other.high and other.low <= one.high for one, other in combinations(numbers, 2)]
    apart = f"{spread(numbers):7.2%}" if len(numbers) > 2 else "      -"
    middle, unit = statistics.median(one.value for one in numbers), numbers[0].unit
    return (f"{metric:28} {middle:10.4g} {unit:4} spread {apart}, stated +-{half:6.2%}, overlap "
            f"{sum(pairs) / max(1, len(pairs)):4.0%}, {len(numbers)} sessions")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
