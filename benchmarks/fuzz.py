"""Fuzz every parser and every reader, and print what each target found.

    .venv/bin/python benchmarks/fuzz.py --seconds 600 --jobs 2

Native targets (tests/core/fuzz_*.cpp) are built with ASan and UBSan, by libFuzzer where there is Clang; Python ones are
those of tests/unit/fuzz_readers.py. Prints a line for each target: executions and findings; the status is 1 if there
are any. Inputs that found something are left in --keep, one file each.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
for folder in ("tests/unit", "tests/core"):
    sys.path.insert(0, str(ROOT / folder))

NATIVE = {"plan": ("corpus", 2048), "config": ("corpus_config", 2048), "pool": ("corpus_pool", 64),
          "files": ("corpus_files", 4096)}  # fmt: skip
"""Target -> its folder of seeds, and the longest input in bytes."""
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "PMEM_IS_PMEM_FORCE": "1",  # no msync for each step on a pool
}
MOST_MEMORY = 8 << 30  # of a Python target: what takes more is a finding
SLACK_S = 300


@dataclass(frozen=True)
class Found:
    """The result of one target. `said`: the first line of each finding."""

    target: str
    executions: int
    seconds: float
    said: tuple[str, ...]


def native(name: str, seconds: float, seed: int, keep: Path) -> Found:
    """Run a fuzzer once; it ends at its first finding."""
    import lanes

    folder, longest = NATIVE[name]
    program = lanes.sanitized("asan-ubsan") / f"tests/core/fuzz_{name}"
    if not program.is_file():
        return Found(f"native {name}", 0, 0.0, (f"{program.name} was not built: is libpmemobj-dev here?",))
    fresh = keep / f"corpus-{name}"
    fresh.mkdir(parents=True, exist_ok=True)
    words = [
        f"-max_total_time={seconds:.0f}",
        f"-max_len={longest}",
        f"-seed={seed}",
        "-timeout=20",
        "-rss_limit_mb=4096",
    ]
    command = [str(program), *words, f"-artifact_prefix={keep}/{name}-", str(fresh), str(ROOT / "tests/core" / folder)]
    begun = time.monotonic()
    try:
        done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True,
                              errors="replace", timeout=seconds + SLACK_S, check=False)  # fmt: skip
        output, status = done.stderr, done.returncode
    except subprocess.TimeoutExpired as error:
        output, status = (error.stderr or b"").decode(errors="replace"), -1
    took = time.monotonic() - begun
    runs = [int(number) for number in re.findall(r"^(?:#|Done )(\d+)", output, re.MULTILINE)]
    said = re.findall(r"^(?:SUMMARY: .*|.*runtime error: .*|==\d+== ERROR: .*)", output, re.MULTILINE)
    bad = tuple(dict.fromkeys(said)) or (f"status {status}: {output.strip()[-200:]}",) if status else ()
    (keep / f"{name}.log").write_text(output)
    return Found(f"native {name}", max(runs, default=0), took, bad)


def python(name: str, seconds: float, seed: int, keep: Path) -> Found:
    """Run a process of its own, which continues after a finding; each kind of finding counts once."""
    words = ["--target", name, "--seconds", str(seconds), "--seed", str(seed), "--keep", str(keep)]
    begun = time.monotonic()
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, timeout=seconds + SLACK_S,
                          check=False)  # fmt: skip
    took = time.monotonic() - begun
    if done.returncode:
        return Found(f"python {name}", 0, took, (f"status {done.returncode}: {done.stderr.strip()[-300:]}",))
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Found(f"python {name}", answer["executions"], took, tuple(answer["said"]))


def search(name: str, seconds: float, seed: int, keep: Path) -> tuple[int, list[str]]:
    """Return (executions, findings) of one Python target, in this process."""
    import resource

    from fuzz_readers import READERS, attempt, contents

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    (reader,) = [each for each in READERS if each.name == name]
    findings: dict[str, str] = {}
    end, number = time.monotonic() + seconds, 0
    for content in contents(reader, seed):
        number += 1
        try:
            attempt(reader, content)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is what is looked for)
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
            key = f"{type(error).__name__} at {where.removeprefix(str(ROOT) + '/')}"
            if key not in findings:
                findings[key] = f"{key}: {str(error)[:120]}"
                (keep / f"{name}-{len(findings)}").write_bytes(content)
        if time.monotonic() > end:
            break
    return number, list(findings.values())


def targets() -> list[tuple[str, str]]:
    from fuzz_readers import READERS

    return [*(("native", name) for name in NATIVE), *(("python", reader.name) for reader in READERS)]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help="targets whose name contains this, such as 'native' or 'python imports'"
    )
    parser.add_argument("--keep", type=Path, default=ROOT / "build/fuzz", help="where inputs that found something go")
    parser.add_argument("--target", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    asked.keep.mkdir(parents=True, exist_ok=True)
    if asked.target:
        executions, said = search(asked.target, asked.seconds, asked.seed, asked.keep)
        print(json.dumps({"executions": executions, "said": said}))
        return 0
    chosen = [(kind, name) for kind, name in targets() if asked.only in f"{kind} {name}"]
    if any(kind == "native" for kind, _ in chosen):
        import lanes

        lanes.sanitized("asan-ubsan")  # built once, before the clock runs
    call = {"native": native, "python": python}
    bad = 0
    print(f"{'target':24}{'executions':>12}{'seconds':>9}  findings", flush=True)
    with ThreadPoolExecutor(asked.jobs) as pool:
        ahead = [pool.submit(call[kind], name, asked.seconds, asked.seed, asked.keep) for kind, name in chosen]
        for future in ahead:
            found = future.result()
            bad += len(found.said)
            print(
                f"{found.target:24}{found.executions:12}{found.seconds:9.0f}  {len(found.said) or 'none'}", flush=True
            )
            for line in found.said:
                print(f"    {line}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
