"""Cost of a history of many runs, with and without the judgements that runs store next to their samples.

    python benchmarks/history.py runs/A
    python benchmarks/history.py runs/A --runs 200 --judged 5

Copies a run as often, each with a directory and a time of start of its own. Prints seconds of `tierscope history`: of
some copies without judgements (each is judged), and of all with them. Exit status 1: all took longer than the aim.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from tierscope.record.result import Run, load, save_result
from tierscope.run.judged import stored as judge_all
from tierscope.tables.kept import NAME, key_of, stored
from tierscope.tables.kept_file import write

ALLOWED_S = 2.0
FEWEST = 2  # runs of a history


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--judged", type=int, default=5, help="copies that are judged, to state what one costs")
    parser.add_argument("--repeats", type=int, default=3, help="of each timing; the least counts")
    words = parser.parse_args()
    if min(words.judged, words.runs) < FEWEST:
        parser.error(f"--judged={words.judged} of --runs={words.runs}: a history needs {FEWEST} runs")
    with tempfile.TemporaryDirectory(prefix="tierscope-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        runs = [copied(load(words.run), Path(folder) / f"run-{number}", number) for number in range(words.runs)]
        before = seconds(folder, runs[: words.judged], words.repeats, XDG_CACHE_HOME=os.devnull)[0] / words.judged
        judge_all(runs[0])  # as the command that measures does
        parts = stored(runs[0])
        for run in runs:
            write(run.path / NAME, run.path, str(key_of(run)), parts)
        after, cpu = seconds(folder, runs, words.repeats)
    print(f"{words.judged} runs that are judged: {before:.2f} s each, {before * words.runs:.0f} s for {words.runs}")
    print(f"{words.runs} runs with {NAME}: {after:.2f} s, {cpu:.2f} s of CPU; ratio {before * words.runs / after:.0f}")
    return 0 if after < ALLOWED_S else 1


def copied(run: Run, path: Path, hours: int) -> Run:
    """Return a copy that began some hours later."""
    shutil.copytree(run.path, path, ignore=shutil.ignore_patterns(NAME, "report*"))
    started = (datetime.fromisoformat(run.result.started) + timedelta(hours=hours)).isoformat()
    save_result(path, msgspec.structs.replace(run.result, started=started))
    return load(path)


def seconds(folder: str, runs: list[Run], repeats: int, **environment: str) -> tuple[float, float]:
    """Return the least wall time and CPU time of a history of these runs, in a process of its own."""
    start = "import sys; from tierscope.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", start, "history", *(str(run.path) for run in runs)]
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}  # as an installed program
    environment = {**os.environ, **compiled, **environment}
    took, used = [], []
    for _ in range(repeats):
        begin, spent = time.perf_counter(), cpu_s()
        done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)
        took.append(time.perf_counter() - begin)
        used.append(cpu_s() - spent)
        if f"over {len(runs)} runs" not in done.stdout and "too few runs" not in done.stdout:
            raise SystemExit(f"tierscope history ended with {done.returncode}: {done.stderr}")
    return min(took), min(used)


def cpu_s() -> float:
    """Return the CPU time of all processes that ended."""
    its = resource.getrusage(resource.RUSAGE_CHILDREN)
    return its.ru_utime + its.ru_stime


if __name__ == "__main__":
    sys.exit(main())
