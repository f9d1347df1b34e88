"""The audit raises no alarm on good data: outputs of other tools made at random, with noise and rounded as tools round.

Each generator starts from a machine that exists on paper (peak, latencies, clock), measures it with a noise of up to
three percent, and prints what the tool would print. Every failure that the audit reports is a false alarm.
"""

from math import floor, sqrt

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tiers import first
from tierscope.audit import Quantity, Statement, examine
from tierscope.audit.limits import Limits, limited
from tierscope.audit.readings import statements
from tierscope.imports import importers
from tierscope.units import MiB

QUIET = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)
KERNELS = (("Copy", 2), ("Scale", 2), ("Add", 3), ("Triad", 3))


def noisy(random: np.random.Generator, value: float, noise: float = 0.01) -> float:
    return float(value * (1 + noise * np.clip(random.standard_normal(), -3, 3)))


def alarms(name: str, text: str, limits: Limits | None = None) -> list[str]:
    readings = importers[name].read(text).readings
    return [
        f"{one.identity}: {one.text}" for one in examine(limited(statements(readings), limits or Limits())).failures
    ]


def stream(random: np.random.Generator) -> tuple[str, float]:
    """STREAM's text, and the peak of its machine."""
    peak = float(random.uniform(10e9, 600e9))
    elements = int(random.integers(2_000_000, 200_000_000))
    rounds, share = int(random.integers(3, 21)), random.uniform(0.4, 0.95)
    rows, scatter = [], random.choice([1e-4, 1e-3, 1e-2, 0.1])
    for kernel, arrays in KERNELS:
        total = 8 * arrays * elements
        times = total / (peak * share) * (1 + scatter * random.exponential(1, rounds - 1))
        least, mean, most = times.min(), times.mean(), times.max()
        rows.append(f"{kernel + ':':12}{1e-6 * total / least:11.1f}  {mean:11.6f}  {least:11.6f}  {most:11.6f}")
    estimate = int(1e6 * 16 * elements / (peak * share))
    array = 8 * elements / MiB
    return (
        "STREAM version $Revision: 5.10 $\nThis system uses 8 bytes per array element.\n"
        f"Array size = {elements} (elements), Offset = 0 (elements)\n"
        f"Memory per array = {array:.1f} MiB (= {array / 1024:.1f} GiB).\n"
        f"Total memory required = {3 * array:.1f} MiB (= {3 * array / 1024:.1f} GiB).\n"
        f"Each kernel will be executed {rounds} times.\nNumber of Threads counted = {random.integers(1, 257)}\n"
        "Your clock granularity/precision appears to be 1 microseconds.\n"
        f"Each test below will take on the order of {estimate} microseconds.\n   (= {estimate} clock ticks)\n"
        "Function    Best Rate MB/s  Avg time     Min time     Max time\n" + "\n".join(rows) + "\nSolution Validates\n"
    ), peak


@QUIET
@given(SEEDS)
@example(3449336151)
@example(2070327559)
@example(41262)
def test_no_alarm_on_stream(seed: int) -> None:
    text, peak = stream(np.random.default_rng(seed))
    found = alarms("stream_c", text, Limits(peak_bytes_per_s=peak))
    assert [one for one in found if not one.startswith(("clock_step", "core_limit"))] == []  # too short, one thread


@QUIET
@given(SEEDS)
def test_no_alarm_on_likwid(seed: int) -> None:
    random = np.random.default_rng(seed)
    clock, threads = float(random.uniform(1e9, 4e9)), int(random.integers(1, 65))
    rounds, elements = int(random.integers(1, 5000)), int(random.integers(1000, 10**8))
    loads, stores = int(random.integers(0, 4)), int(random.integers(0, 2))
    size = elements * 8 * max(loads + stores, 1)
    volume, seconds = rounds * size, rounds * size / random.uniform(1e8, 5e9) / threads
    cycles = max(int(seconds * clock), 1)
    seconds = cycles / clock
    text = (
        f"LIKWID MICRO BENCHMARK\nTest: load\nUsing {threads} threads\nCycles:\t\t\t{cycles}\n"
        f"Cycle Clock:\t\t{clock:.0f}\nTime:\t\t\t{cycles / round(clock):e} sec\nIterations per thread:\t{rounds}\n"
        f"Size (Byte):\t\t{size}\nMFlops/s:\t\t0.00\nData volume (Byte):\t{volume}\n"
        f"MByte/s:\t\t{1e-6 * volume / (cycles / round(clock)):.2f}\n"
        f"Cycles per update:\t{cycles / (rounds * elements):f}\n"
        f"Loads per update:\t{loads}\nStores per update:\t{stores}\n"
        f"Load bytes per element:\t{8 * loads}\nStore bytes per elem.:\t{8 * stores}\n"
        + (f"Load/store ratio:\t{loads / stores:.2f}\n" if loads and stores else "")
    )
    assert alarms("likwid_bench", text) == []


def mlc(random: np.random.Generator) -> tuple[str, float]:
    """Two packages or more, a memory without CPUs next to them now and then, and a loaded curve that turns back."""
    nodes, peak = int(random.integers(1, 5)), float(random.uniform(30e3, 600e3))  # MB/s
    local, far = float(random.uniform(60, 160)), float(random.uniform(1.0, 2.5))
    each = peak * random.uniform(0.7, 0.95) / nodes
    link = each * random.uniform(0.1, 0.95)
    homes = nodes + int(random.integers(0, 2))  # one more without CPUs

    def matrix(near: float, remote: float) -> str:
        head = "\t\tNuma node\nNuma node\t" + "\t".join(f"{n:6d}" for n in range(homes))
        rows = [
            "\t".join([f"{i:8d}", *(f"{noisy(random, near if i == j else remote):6.1f}" for j in range(homes))])
            for i in range(nodes)
        ]
        return "\n".join([head, *rows]) + "\n"

    shares = [("ALL Reads", 1.0), ("3:1 Reads-Writes", 0.95), ("2:1 Reads-Writes", 0.93), ("1:1 Reads-Writes", 1.05),
              ("Stream-triad like", 0.9)]  # fmt: skip
    ratios = "\n".join(f"{name:17}:\t{noisy(random, each * nodes * share):.1f}" for name, share in shares)
    delays = (0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20000)
    curve = []
    for delay in delays:
        use = min(0.99, 60 / (delay + 60) * random.uniform(0.95, 1.0) + 0.005)
        wait = local * (1 + 0.3 * use + 0.02 * use / (1 - use))
        curve.append(f" {delay:05d}\t{noisy(random, wait, 0.03):.2f}\t{noisy(random, each * nodes * use):9.1f}")
    return (
        "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n"
        + matrix(local, local * far)
        + f"\nMeasuring Peak Injection Memory Bandwidths for the system\n{ratios}\n\n"
        + "Measuring Memory Bandwidths between nodes within system\nUsing Read-only traffic type\n"
        + matrix(each, link)
        + "\nMeasuring Loaded Latencies for the system\nUsing Read-only traffic type\n"
        + "\n".join(curve)
        + "\n\nMeasuring cache-to-cache transfer latency (in ns)...\n"
        + f"Local Socket L2->L2 HIT  latency\t{noisy(random, local / 2):.1f}\n"
    ), peak * 1e6


@QUIET
@given(SEEDS)
def test_no_alarm_on_mlc(seed: int) -> None:
    text, peak = mlc(np.random.default_rng(seed))
    assert alarms("mlc", text, Limits(peak_bytes_per_s=peak * 1.1)) == []


@QUIET
@given(SEEDS)
@example(1910554750)
@example(216714351)
def test_no_alarm_on_pmembench(seed: int) -> None:
    random = np.random.default_rng(seed)
    threads, each, repeats = (int(random.integers(1, most)) for most in (9, 2000, 9))
    clock_s = float(random.uniform(20e-9, 1e-6))  # pmembench takes its reads of the clock out of the whole
    waits = [random.lognormal(np.log(random.uniform(3e-7, 1e-4)), 0.7, (threads, each)) for _ in range(repeats)]
    waits = [np.round(one + clock_s, 9) for one in waits]
    totals = np.array([one.sum(axis=1).max() - each * clock_s for one in waits])
    every = np.sort(np.concatenate([one.ravel() for one in waits]) * 1e9)
    average = floor(every.mean())
    at = [every[len(every) * part // 1000] for part in (500, 990, 999)]
    rate, size = threads * each / totals.mean(), int(random.integers(8, 4096))
    heads = (
        "total-avg[sec];ops-per-second[1/sec];total-max[sec];total-min[sec];total-median[sec];total-std-dev[sec];"
        "latency-avg[nsec];latency-min[nsec];latency-max[nsec];latency-std-dev[nsec];latency-pctl-50.0%[nsec];"
        "latency-pctl-99.0%[nsec];latency-pctl-99.9%[nsec];bandwidth[MiB/s];threads;ops-per-thread;data-size;repeats"
    )
    deviation = sqrt(float(((every - average) ** 2).mean()))
    numbers = [f"{v:f}" for v in (totals.mean(), rate, totals.max(), totals.min(), np.median(totals), totals.std())]
    numbers += [f"{average}", f"{every[0]:.0f}", f"{every[-1]:.0f}", f"{deviation:f}", *(f"{one:.0f}" for one in at)]
    numbers += [f"{rate * size / MiB:f}", f"{threads}", f"{each}", f"{size}", f"{repeats}"]
    assert alarms("pmembench", f"map_insert: map_insert [1]\n{heads}\n{';'.join(numbers)}\n") == []


@QUIET
@given(SEEDS)
@example(63000)
def test_no_alarm_on_perf(seed: int) -> None:
    random = np.random.default_rng(seed)
    busy = float(10 ** random.uniform(-4, 3))
    hertz, width, share = random.uniform(5e8, 5.5e9), random.uniform(0.05, 9), random.uniform(0.01, 0.9)
    cycles = int(busy * hertz)
    instructions = int(cycles * width)
    branches, faults = int(instructions * share), int(random.integers(1, 100_000))
    missed = int(branches * random.uniform(0, 0.3))
    elapsed, user = busy / random.uniform(0.05, 16), busy * random.uniform(0, 1)
    system = busy - user + random.uniform(0, 1e-3)  # the additional time of fork and exec

    def line(word: str, event: str, metric: str) -> str:
        return f"{word:>18}      {event:32} # {metric}"

    text = "\n".join(
        [
            "\n Performance counter stats for 'x':\n",
            line(f"{busy * 1e3:.2f} msec", "task-clock", f"{busy / elapsed:8.3f} CPUs utilized"),
            line(f"{faults:,}", "page-faults", f"{faults / busy / 1e3:8.3f} K/sec"),
            line(f"{cycles:,}", "cycles", f"{cycles / busy / 1e9:8.3f} GHz"),
            line(f"{instructions:,}", "instructions", f"{instructions / max(cycles, 1):6.2f}  insn per cycle"),
            line(f"{branches:,}", "branches", f"{branches / busy / 1e6:8.3f} M/sec"),
            line(f"{missed:,}", "branch-misses", f"{100 * missed / max(branches, 1):6.2f}% of all branches"),
            f"\n       {elapsed:.9f} seconds time elapsed\n\n       {user:.9f} seconds user\n",
            f"       {system:.9f} seconds sys\n",
        ]
    )
    assert [one for one in alarms("perf_stat", text) if busy * 1e3 > 0.01 or "core_hz" not in one] == []


@pytest.mark.parametrize("count", first(2, [4, 30, 300]))
def test_times_of_six_digits_that_repeat_by_chance_are_not_steps_of_a_clock(count: int) -> None:
    """Numbers with few digits, or with little scatter, repeat by chance."""
    random = np.random.default_rng(1995 + count)
    for scatter, digits in ((1e-4, 6), (1e-3, 6), (0.05, 4), (0.3, 3)):
        for _ in range(20):
            values = np.round(0.1 * (1 + scatter * random.standard_normal(count)), digits)
            rows = [
                Statement(f"row {i}", {"latency_s": Quantity(float(v), 10.0**-digits)}, conclusive=True)
                for i, v in enumerate(values)
            ]
            failures = [one for one in examine(rows).failures if one.identity in ("quantum", "copied")]
            assert failures == [], (scatter, digits)
