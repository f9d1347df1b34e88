"""Score every rule about fleets on imagined ones, and print each figure against its goal.

    .venv/bin/python benchmarks/fleet.py [--quick] [PART]...

It needs about half an hour and 5 GB of disk; --quick uses a tenth of the machines. Times are CPU seconds of this
process, so a busy machine disturbs them little. Status 1 if a goal is missed. Parts: rules, table, changes, files and
whole.
"""

import argparse
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from scipy import stats

from tierscope.fleet.compact import compact
from tierscope.fleet.fold import collect
from tierscope.fleet.history import history
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.imagine_score import score_outliers, score_trend
from tierscope.fleet.outliers import outliers
from tierscope.fleet.store import DayRecord, Store
from tierscope.fleet.trend import trend

MISSED = []


def goal(what: str, value: float, limit: float, *, least: bool = False, unit: str = "") -> None:
    """Print a figure against its goal."""
    good = value >= limit if least else value <= limit
    print(f"{'ok    ' if good else 'MISSED'} {what}: {value:.4g}{unit} (goal {'>=' if least else '<='} {limit:g})")
    if not good:
        MISSED.append(what)


def cpu(what: Callable[[], Any]) -> tuple[float, Any]:
    """Return CPU seconds of this process, all threads, and the result."""
    begin = time.process_time()
    found = what()
    return time.process_time() - begin, found


def power(found: int, planted: int) -> str:
    """Return the share that was found, with its 95 % interval: few planted hosts give a rough one (Wilson, 1927)."""
    interval = stats.binomtest(found, planted).proportion_ci(method="wilson")
    return f"{found / planted:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def rules(machines: int) -> None:
    """Print false verdicts and power of screen and confirmation."""
    count = max(10, machines // 50)
    for noise, session, tails in ((0.01, 0.005, "normal"), (0.03, 0.01, "normal"), (0.01, 0.005, "t3")):
        for size in (0.03, 0.05, 0.10):
            one = score_outliers(ImagineOptions(
                machines=machines, days=7, size=size, run_noise=noise, session_noise=session, tails=tails,
                faults=f"slow:{count},metric:{count}", seed=round(size * 100),
            ))  # fmt: skip
            told = f"noise {noise:.0%}, {tails}, {size:.0%}"
            print(f"       {told}: {1000 * one.suspects / machines:.0f} suspects per 1,000, all metrics "
                  f"{power(one.found['slow'], count)}, one {power(one.found['metric'], count)}, unplanted but truly "
                  f"slower {1000 * one.natural / machines:.2f} per 1,000, can see {one.sees:.1%}")  # fmt: skip
            goal(f"false verdicts per 1,000 ({told})", 1000 * one.false / machines, 2)
            if (noise, tails) == (0.01, "normal") and size == 0.05:
                goal(f"power, all metrics ({told})", one.found["slow"] / count, 0.98, least=True)
    one = score_outliers(ImagineOptions(machines=machines, days=7, kinds_apart=0.03, faults=f"slow:{count}"))
    print(f"{'ok    ' if one.covariate == 'dimm_part' else 'MISSED'} two kinds, named by {one.covariate!r}: "
          f"false {1000 * one.false / machines:.2f} per 1,000, power {one.found['slow'] / count:.3f}")  # fmt: skip


def table(machines: int) -> None:
    """Print the power for slowdowns of 3, 5 and 10 %, over eight fleets with each fault on 1 % of the hosts.

    t3 has the standard deviation of the normal law here. In `rules` it has its quartiles: more hosts are truly slow.
    """
    noisy: dict[str, Any] = {"run_noise": 0.03, "session_noise": 0.01}
    tails: dict[str, Any] = {"tails": "t3", "spread": 0.008 * 0.7649 / 0.6745 / 3**0.5}
    laws: dict[str, dict[str, Any]] = {
        "normal, 1 %": {}, "normal, 3 %": noisy, "t3, 1 %": tails, "t3, 3 %": tails | noisy,
        "two kinds, 1 %": {"kinds_apart": 0.03},
    }  # fmt: skip
    count, seeds = max(1, machines // 100), range(20, 28)
    for name, law in laws.items():
        every = [
            [score_outliers(ImagineOptions(machines=machines, days=7, size=size, seed=seed,
                                           faults=f"slow:{count},metric:{count}", **law)) for seed in seeds]
            for size in (0.03, 0.05, 0.10)
        ]  # fmt: skip
        shares = {
            kind: "/".join(f"{sum(one.found[kind] for one in same) / (count * len(seeds)):.3f}" for same in every)
            for kind in ("slow", "metric")
        }
        hosts = machines * len(seeds) * len(every) / 1000
        false, natural = (sum(getattr(one, what) for same in every for one in same) for what in ("false", "natural"))
        print(f"       {name}: all metrics {shares['slow']}, one {shares['metric']}, false {false / hosts:.2f}, "
              f"unplanted but truly slower {natural / hosts:.1f} per 1,000")  # fmt: skip


def changes(machines: int) -> None:
    """Print false alarms and steps found of CUSUM with confirmation. With one metric, a score has the stated noise."""
    for noise in (0.008, 0.027):  # session: with the repeats' part 1 % and 3 %
        quiet = ImagineOptions(machines=machines, metrics=1, faults="", session_noise=noise, run_noise=0.01)
        none = score_trend(quiet)
        goal(f"false alarms per 1,000 machine-years (noise {noise:.1%})", 1000 * none.false / none.machine_years, 3)
        for size in (0.05, 0.10):
            some = ImagineOptions(
                machines=max(1000, machines // 5),
                metrics=1,
                faults=f"step:{max(1000, machines // 5) // 5}",
                size=size,
                session_noise=noise,
            )
            found = score_trend(some)
            share = found.found / found.planted
            told = f"steps of {size:.0%} found within 60 days (noise {noise:.1%})"
            print(f"       {told}: {share:.3f}, alarm after {found.days_to_alarm:.0f} days, date off by "
                  f"{found.date_error:.0f}")  # fmt: skip
            if noise < 0.01 and size == 0.05:
                goal(told, share, 0.95, least=True)


def files(folder: Path, machines: int) -> None:
    """Print the time to fold, queries on many rows, and faults that only files show."""
    options = ImagineOptions(
        machines=machines, days=1, metrics=50, faults="slow:10,metric:10,wrong:3,cloned:2,missing:1"
    )
    write_fleet(folder, imagine(options))
    seconds, _ = cpu(lambda: collect(folder))
    goal(f"fold {machines} files of 50 numbers", seconds, 60, unit=" s of CPU")
    host = "host" + "0" * (len(str(machines - 1)) - 1) + "7"
    for back in ((1, 20), (20, 200)):
        rows = repeat(folder, *back)
        told = f"on {rows / 1e6:.0f} M rows"
        goal(f"fleet outliers {told}", cpu(lambda: outliers(folder))[0], 2, unit=" s of CPU")
        seconds, _ = cpu(lambda: history(folder, host))
        if back[0] == 1:
            goal(f"history of one host {told}", seconds, 1, unit=" s of CPU")
        else:
            print(f"       history of one host {told}: {seconds:.2f} s of CPU")
        memory()
        seconds, _ = cpu(lambda: trend(folder))
        print(f"       fleet trend {told}: {seconds:.2f} s of CPU")
        memory()
    seconds, months = cpu(lambda: compact(folder))
    print(f"       compaction of {months} months: {seconds:.1f} s of CPU")
    print(f"       history of one host {told}, compacted: {cpu(lambda: history(folder, host))[0]:.2f} s of CPU")
    memory()
    size = sum(path.stat().st_size for path in (folder / "store/rows").rglob("*.parquet"))
    print(f"       rows on disk: {size / rows:.1f} B each")


def memory() -> None:
    """Print the most memory that this process, which also folded the reports, has used so far."""
    goal("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576, 2, unit=" GiB")


def repeat(folder: Path, first: int, last: int) -> int:
    """Add the stored day again under earlier dates, with fresh noise; return the number of rows of all.

    first, last: how many days before, the last one left out.
    """
    with Store(folder) as store:
        day, record = [*store.days().items()][-1]
        for back in range(first, last):
            name = (date.fromisoformat(day) - timedelta(days=back)).isoformat()
            made = {
                table: tuple(path.replace(f"day={day}", f"day={name}") for path in record.files[table])
                for table in ("rows", "scores")
            }
            for table, column in (("rows", "deviation"), ("scores", "score")):
                for old, new in zip(record.files[table], made[table], strict=True):
                    noisy = f"{column} + ((random() - 0.5) * 0.02)::FLOAT AS {column}, '{name}' AS day"
                    store.copy(new, f"SELECT * REPLACE ({noisy}) FROM {store.source([old])}")
            store.keep(DayRecord(schema=record.schema, day=name, digest=name, reports=record.reports, files=made))
        every = [path for one in store.days().values() for path in one.files["rows"]]
        return int(store.query("SELECT count(*) AS n FROM {files}", every)["n"][0])


def whole_fleet(folder: Path) -> None:
    """Judge, through the files, a fleet that is 8 % slow as a whole from a day on, and has two DIMM kinds."""
    options = ImagineOptions(machines=400, days=40, size=0.08, faults="fleet:1", kinds_apart=0.03)
    fleet = imagine(options)
    write_fleet(folder, fleet)
    found = outliers(folder).result
    sizes = [one.slower_than_before.value for one in found.groups if one.slower_than_before]
    print(f"{'ok    ' if sizes else 'MISSED'} a fleet 8 % slow as a whole: found {[f'{one:.1%}' for one in sizes]}; "
          f"by trend: {[(one.day, f'{one.slower.value:.1%}') for one in trend(folder).groups]}")  # fmt: skip
    named = {one.covariate.fact for one in found.groups if one.covariate}
    print(f"{'ok    ' if named == {'dimm_part'} else 'MISSED'} two kinds through the files: named by {named}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the machines")
    parser.add_argument("part", nargs="*", help="rules, table, changes, files, whole; default: all")
    asked = parser.parse_args()
    machines = 1000 if asked.quick else 10_000
    parts: dict[str, Callable[[Path], None]] = {
        "rules": lambda _: rules(machines),
        "table": lambda _: table(machines),
        "changes": lambda _: changes(machines),
        "files": lambda at: files(at, machines),
        "whole": whole_fleet,
    }
    for name in asked.part or parts:
        folder = Path(tempfile.mkdtemp(prefix="tierscope-fleet-"))
        try:
            parts[name](folder)
        finally:
            shutil.rmtree(folder)
    print(f"{len(MISSED)} goals missed" + (f": {'; '.join(MISSED)}" if MISSED else ""))
    return 1 if MISSED else 0


if __name__ == "__main__":
    sys.exit(main())
