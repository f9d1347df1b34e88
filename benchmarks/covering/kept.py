"""One run as a user makes it, in a folder that is kept: a run that is complete is not measured again."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from covering.load import Load, Moment, machine, plain
from covering.states import beside
from tierscope.core import find_core
from tierscope.errors import Exit
from tierscope.files import write_atomically
from tierscope.record.result import Run, load

TIERSCOPE = Path(sys.executable).with_name("tierscope")
FACTS = "coverage-run.json"  # in the folder of a run
CACHE = "cache"  # of all runs, so that the first one knows no earlier ones
ASKED = "asked.json"  # what the runs of a folder have in common


def same_as_before(out: Path, asked: Sequence[str]) -> None:
    """Write what the runs of this folder have in common; SystemExit where it has other runs, or files of others.

    asked: the suite and its options.
    """
    core = hashlib.sha256(find_core().read_bytes()).hexdigest()
    now = {"asked": list(asked), "machine": machine(), "core": core}
    path = out / ASKED
    if out.exists() and not path.exists() and any(out.iterdir()):
        raise SystemExit(f"{out} has files of something else; choose another --out")
    before = json.loads(path.read_text()) if path.exists() else now
    if other := [name for name in now if before.get(name) != now[name]]:
        changes = ", ".join(f"{name} was {before.get(name)!r} and is {now[name]!r}" for name in other)
        raise SystemExit(f"{out} has runs of other options: {changes}; choose another --out")
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(now, indent=1).encode())


def is_done(out: Path) -> bool:
    """Return whether this folder contains a run with all its visits."""
    return (out / "result.json").exists() and (out / FACTS).exists() and load(out).result.complete


def kept_run(out: Path, state: str, asked: Sequence[str]) -> tuple[Run, datetime, Load]:
    """Measure once with the programs of a state; an existing run is read, one that was interrupted begins again."""
    if not is_done(out):
        if out.exists():
            shutil.rmtree(out)
        command = [str(TIERSCOPE), "run", *asked, "--out", str(out), "--quiet"]
        begun = {**os.environ, "XDG_CACHE_HOME": str((out.parent / CACHE).absolute())}
        began = datetime.now(UTC)
        with beside(state) as programs:
            before = Moment.now(programs())
            done = subprocess.run(command, env=begun, capture_output=True, text=True, check=False)
            loaded = before.until(Moment.now(programs()))
        if done.returncode not in (Exit.GOOD, Exit.INCONCLUSIVE):
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
        facts = {"state": state, "began": began.isoformat(timespec="seconds"), **plain(loaded)}
        (out / FACTS).write_text(json.dumps(facts) + "\n")
    facts = json.loads((out / FACTS).read_text())
    known = Load(**{name: facts[name] for name in Load.__dataclass_fields__})
    return load(out), datetime.fromisoformat(facts["began"]), known
