"""Questions with one answer: a process each. A crash of it is an error here, with its signal and its last words."""

import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tierscope.core.find import BRING, LINKED, TRACED, find_core, find_pool_core
from tierscope.core.launch import LOCAL, Find, Launcher, guarded
from tierscope.errors import CoreError, MachineError, UsageError
from tierscope.record.catalogue import Catalogue

Answer = TypeVar("Answer")


def catalogue(*, pools: bool = True, launcher: Launcher = LOCAL) -> Catalogue:
    """Return what the cores contain; CoreError for a core of another version, or if two entries have one name.

    pools: targets and structures are those of the core that is linked with libpmemobj, if there is one. A checkout may
    build it now. Each core is asked once in a process: a run needs its catalogue in several places. launcher: where the
    core runs; on another machine there is only the static core, and it is asked each time.
    """
    here = launcher is LOCAL
    found = _catalogue_of(find_core()) if here else read(_ask("catalogue", launcher=launcher), Catalogue)
    if pools and here:
        with suppress(CoreError, MachineError):
            linked = _catalogue_of(find_pool_core())
            found = msgspec.structs.replace(found, targets=linked.targets, structures=linked.structures)
    if twice := found.collision():
        raise CoreError(f"{twice} in {find_core()}, and a plan cannot distinguish them; rename one, and build again")
    return found


def _catalogue_of(core: Path) -> Catalogue:
    """Return what one core contains, from its first answer unless the file is another one by now."""
    try:
        found = core.stat()
    except OSError:  # it cannot be started either, which is what the user reads
        return _asked(core)
    return _answered(core, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=4)
def _answered(core: Path, _file: tuple[int, ...]) -> Catalogue:
    return _asked(core)


def _asked(core: Path) -> Catalogue:
    return read(_ask("catalogue", find=lambda: core), Catalogue)


def topology(simulated: str = "", launcher: Launcher = LOCAL) -> dict[str, Any]:
    """Return CPUs, caches, nodes and the processor's own names; `run.inspect` makes a Machine of it.

    simulated: the word of a simulated machine, "sim:optane100", instead of the real one. launcher: where the core runs.
    """
    return read(_ask("topology", *([simulated] if simulated else []), launcher=launcher), dict[str, Any])


def check(**words: str | int) -> list[dict[str, Any]]:
    """Return verdicts of every variant against scalar code: `check(kernel="triad", isa="avx2", operations=512)`."""
    answer = _ask("check", *(f"{key}={word}" for key, word in words.items()), good=(0, 1))
    return [read(line, dict[str, Any]) for line in answer.splitlines()]


SO_FAR = b'{"fact":"timed"'  # begins a line about how far a replay is


def trace(
    machines: Sequence[str], accesses: int, *, count: bool = False, objects: bool = False, warm_once: bool = False,
    watch: Callable[[bytes], None] | None = None,
) -> Iterator[bytes]:  # fmt: skip
    """Return the answers of `tierscope-core trace`, a line for each simulated machine.

    accesses: a file to read them from.

    count: without times, which is faster. objects: with the time that waits for each object of the program. warm_once:
    machines with the same caches share the warming between timed parts; counters of all but the first leave it out.

    watch: gets a line about how far the replay is, at each gap of the trace.
    """
    asked = {"--count": count, "--objects": objects, "--warm-once": warm_once, "--progress": watch is not None}
    words = ["trace", *(word for word, given in asked.items() if given), *machines]
    lines: list[bytes] = []
    with tempfile.TemporaryFile() as errors:

        def start(core: Path) -> "subprocess.Popen[bytes]":
            return subprocess.Popen([core, *words], stdin=accesses, stdout=subprocess.PIPE, stderr=errors)

        with guarded(start, find_core) as running:
            for line in running.stdout or ():
                if watch is not None and line.startswith(SO_FAR):
                    watch(line)
                else:
                    lines.append(line.removesuffix(b"\n"))
        errors.seek(0)
        if running.returncode:
            raise error_of(lines[-1] if lines else b"", running.returncode, errors.read())
    return iter(lines)


def read(answer: bytes | dict[str, Any], kind: type[Answer], key: str = "") -> Answer:
    """Return a line of JSON, or an answer or one field of it; CoreError when it is not what this version knows."""
    try:
        if isinstance(answer, bytes):
            return msgspec.json.decode(answer, type=kind)
        return msgspec.convert(answer[key] if key else answer, kind)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError, RecursionError) as error:
        raise CoreError(f"tierscope-core gave an answer that this tierscope does not know: {error}; "
                        "install both from one version, or correct TIERSCOPE_CORE") from error  # fmt: skip


def _ask(*words: str, good: tuple[int, ...] = (0,), find: Find = find_core, launcher: Launcher = LOCAL) -> bytes:
    status, answer, errors = launcher.ask(find, words)
    if status in good:
        return answer
    raise error_of(answer.splitlines()[-1] if answer else b"", status, errors)


def error_of(line: bytes, status: int, stderr: bytes) -> Exception:
    try:
        return refused(read(line, dict[str, Any]))
    except CoreError:
        if status == -signal.SIGKILL:
            return MachineError(
                "tierscope-core was killed from outside, usually because memory ran out; ask for less of it"
            )
        if (lacking := _unlinked(stderr)) is not None:
            name = TRACED if f"core{TRACED}".encode() in stderr else LINKED
            return MachineError(f"tierscope-core{name} cannot be started: {lacking}; {BRING}")
        how = f"signal {signal.strsignal(-status)}" if status < 0 else f"status {status}"
        last = stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        return CoreError(f"tierscope-core ended with {how}: {last[0]}; report this")


LOADER_BYTES = 4096  # a loader that refuses a program reports it first, in a line or a few


def _unlinked(stderr: bytes) -> str | None:
    """Return the dynamic loader's (glibc, musl) message on a library that is absent or of another version."""
    text = stderr[:LOADER_BYTES].decode(errors="replace")
    found = re.search(r"shared librar(?:y|ies):? (.+)|: (version `.+ not found .+|symbol lookup error: .+)", text)
    return found and (found[1] or found[2])


def refused(fact: dict[str, Any]) -> Exception:
    kind = UsageError if fact.get("kind") == "BadPlan" else MachineError
    return kind(read(fact, str, "message"))
