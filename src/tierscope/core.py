"""Finds and runs `tierscope-core`; the only file that knows the words of the border.

A session is a core process that is steered line by line: groups are prepared, measured in batches, checked.
Blocks come back through a samples file that the core appends to. A crash of the core is an error here, with
its signal and its last words.
"""

import os
import re
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import msgspec
import numpy as np

from tierscope.catalogue import Catalogue
from tierscope.errors import CoreError, MachineError, UsageError
from tierscope.experiment import Group
from tierscope.result import BLOCK, Blocks, Clock, GroupFacts
from tierscope.units import word_bytes

Answer = TypeVar("Answer")

LAST_WORDS_BYTES = 1 << 16  # of a core that died: a sanitizer's whole report
LINKED = "-pmdk"  # ends the name of the core that is linked with libpmemobj
BRING = "sudo apt-get install -y libpmemobj-dev, then run ./tierscope of a checkout again, which builds it"
HEADER_BYTES = 384  # of the samples file, see core/bench/samples.cpp


def find_core() -> Path:
    """TIERSCOPE_CORE, then the installed package's own script, then PATH; MachineError if there is none."""
    if named := os.environ.get("TIERSCOPE_CORE"):
        return Path(named)
    for candidate in (*_installed(), Path(sysconfig.get_path("scripts")) / "tierscope-core"):
        if candidate.is_file():
            return candidate
    if found := shutil.which("tierscope-core"):
        return Path(found)
    raise MachineError("tierscope-core is not installed; run ./tierscope once, or name it in TIERSCOPE_CORE")


def find_pool_core() -> Path:
    """The core that is linked with libpmemobj, beside the other; MachineError where it was not built."""
    core = find_core()
    beside = core if core.name.endswith(LINKED) else core.with_name(core.name + LINKED)
    if beside.is_file():
        return beside
    raise MachineError(f"targets named pool: need {beside}, which was not built; {BRING}")


def _installed() -> list[Path]:
    try:
        files = metadata.files("tierscope") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(f.locate())) for f in files if f.name == "tierscope-core"]


def catalogue() -> Catalogue:
    """CoreError if the core is of another version. Its targets are those of both cores, where both are there."""
    found = _read(_ask("catalogue"), Catalogue)
    with suppress(CoreError, MachineError):
        linked = _read(_ask("catalogue", find=find_pool_core), Catalogue)
        return msgspec.structs.replace(found, targets=linked.targets)
    return found


def topology() -> dict[str, Any]:
    """CPUs, caches, nodes and the processor's own words; `run.inspect` makes a Machine of it."""
    return _read(_ask("topology"), dict[str, Any])


def check(**words: str | int) -> list[dict[str, Any]]:
    """Verdicts of every variant against scalar code: `check(kernel="triad", isa="avx2", operations=512)`."""
    answer = _ask("check", *(f"{key}={word}" for key, word in words.items()), good=(0, 1))
    return [_read(line, dict[str, Any]) for line in answer.splitlines()]


def _read(answer: bytes | dict[str, Any], kind: type[Answer], key: str = "") -> Answer:
    """A line of JSON, or one field of such; CoreError when it is not what this version knows."""
    try:
        if isinstance(answer, bytes):
            return msgspec.json.decode(answer, type=kind)
        return msgspec.convert(answer[key], kind)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError) as error:
        raise CoreError(f"tierscope-core answered what this tierscope does not know: {error}; "
                        "install both from one version, or mend TIERSCOPE_CORE") from error  # fmt: skip


def _ask(*words: str, good: tuple[int, ...] = (0,), find: Callable[[], Path] = find_core) -> bytes:
    done = _guarded(lambda core: subprocess.run([core, *words], capture_output=True, check=False), find)
    if done.returncode in good:
        return bytes(done.stdout)
    raise _error_of(done.stdout.splitlines()[-1] if done.stdout else b"", done.returncode, done.stderr)


def _guarded(start: Callable[[Path], Answer], find: Callable[[], Path]) -> Answer:
    core = find()
    try:
        return start(core)
    except OSError as error:
        raise MachineError(f"{core} cannot be started: {error.strerror}; build it or mend TIERSCOPE_CORE") from error


def _error_of(line: bytes, status: int, stderr: bytes) -> Exception:
    try:
        return _refused(_read(line, dict[str, Any]))
    except CoreError:
        if status == -signal.SIGKILL:
            return MachineError("tierscope-core was killed from outside, mostly for want of memory; ask for less of it")
        if (lacking := _unlinked(stderr)) is not None:
            return MachineError(f"tierscope-core{LINKED} cannot be started: {lacking}; {BRING}")
        how = f"signal {signal.strsignal(-status)}" if status < 0 else f"status {status}"
        last = stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        return CoreError(f"tierscope-core ended with {how}: {last[0]}; please report this")


def _unlinked(stderr: bytes) -> str | None:
    """What the dynamic loader (glibc, musl) says of a library that is absent or of another version."""
    text = stderr.decode(errors="replace")
    found = re.search(r"shared librar(?:y|ies):? (.+)|: (version `.+ not found .+|symbol lookup error: .+)", text)
    return found and (found[1] or found[2])


def _refused(fact: dict[str, Any]) -> Exception:
    kind = UsageError if fact.get("kind") == "BadPlan" else MachineError
    return kind(_read(fact, str, "message"))


def group_words(group: Group) -> dict[str, str]:
    """A Group as the words of a plan, also what a person types to repeat it by hand."""
    work = group.workload
    words = {
        "kernel": work.kernel,
        "isa": work.isa,
        "target": group.target.word,
        "pages": group.target.pages,
        "cpus": ",".join(map(str, group.team.cpus)),
        "footprint": word_bytes(work.footprint_bytes),
        "streams": str(work.streams),
        "unroll": str(work.unroll),
        "prefetch": word_bytes(work.prefetch_bytes),
        "prefetchw": word_bytes(work.prefetchw_bytes),
        "interleave": word_bytes(work.interleave_bytes),
        "element": word_bytes(work.element_bytes),
        "locality": word_bytes(work.locality_bytes),
        "pace": str(work.pace_cycles),
        "burst": word_bytes(work.burst_bytes),
        "per_block": str(work.per_block),
        "fence": work.fence,
        "order": work.order,
        "size": work.size,
        "command": quote(work.command, safe="/.=-+:,@"),
        "limit": f"{work.limit_s:.9f}s" if work.limit_s else "",
        "source": group.source.word if group.source else "",
        "shared": "1" if group.shared else "",
    }
    for key, word in words.items():
        if any(c.isspace() for c in word):
            raise UsageError(f"{key}={word!r} holds a space, which a plan cannot carry; choose a path without")
    return {key: word for key, word in words.items() if word}


def _names_pool(group: Group) -> bool:
    return "pool" in {target.name for target in (group.target, group.source) if target is not None}


class Session:
    """One running core. Use as a context manager: leaving it ends the process and removes its samples."""

    def __init__(self) -> None:
        self._linked = False
        self._begin(find_core)

    def _begin(self, find: Callable[[], Path]) -> None:
        self._files = ExitStack()
        self._errors = os.memfd_create("errors")
        self._files.callback(os.close, self._errors)
        with tempfile.TemporaryDirectory(prefix="tierscope-") as folder:
            samples = Path(folder) / "blocks.npy"
            self._process = _guarded(lambda core: self._start(core, samples), find)
            try:
                hello = self._answer()
                self.clock = _read(hello, Clock, "clock")
                self._samples = os.open(samples, os.O_RDONLY | os.O_CLOEXEC)
                self._files.callback(os.close, self._samples)
            except BaseException:
                self.close()
                raise
        # the samples have no name any more, so that nothing is left behind even after a kill

    def _start(self, core: Path, samples: Path) -> subprocess.Popen[bytes]:
        # its own process group: Ctrl-C reaches Python alone, which ends the core in order
        command = [str(core), "run", "-", "--samples", str(samples)]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env={**os.environ, "TIERSCOPE_PARENT": str(os.getpid())},  # it ends with this process, however that ends
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the core at once and give its memory back; more than once does no harm."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):  # unsent words of a core that is gone
                    stream.close()
        self._files.close()

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Map, touch, fill and verify; UsageError and MachineError as the core puts them.

        The first pool ends the process for one that knows pools, with a clock of its own.
        """
        if not self._linked and any(_names_pool(group) for group in groups):
            linked = find_pool_core()
            self._linked = True
            self.close()
            self._begin(lambda: linked)
        for group in groups:
            self._send("group", group_words(group))
        return _read(self._ask("prepare", {}), tuple[GroupFacts, ...], "groups")

    def set(self, number: int, group: Group) -> GroupFacts:
        """Another walk over the memory that is there."""
        words = {"group": str(number), **group_words(group)}
        return _read(self._ask("set", words), GroupFacts, "group")

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """One batch of some groups, all by default; its blocks, shape (blocks,), dtype BLOCK.

        It lasts until every task in it is done, at least `seconds`. UsageError when a victim's command fails.
        """
        words = {"seconds": f"{seconds:.9f}s", "block": f"{block_s:.9f}s"}
        fact = self._ask("measure", words | ({"groups": ",".join(map(str, groups))} if groups else {}))
        first, rows = (_read(fact, int, key) * BLOCK.itemsize for key in ("first", "rows"))
        content = os.pread(self._samples, rows, HEADER_BYTES + first)
        if len(content) != rows:
            raise CoreError(
                f"tierscope-core announced {rows} bytes of blocks, wrote {len(content)}; please report this"
            )
        return np.frombuffer(content, dtype=BLOCK)

    def check(self) -> tuple[float, tuple[str, ...]]:
        """Largest relative difference against scalar code, infinity if wrong; what the victim of each group says."""
        fact = self._ask("check", {})
        errors = _read(fact, list[float | None], "largest_relative_error")
        details = _read(fact, tuple[str, ...], "details")
        return max((float("inf") if e is None else e for e in errors), default=0.0), details

    def _ask(self, command: str, words: dict[str, str]) -> dict[str, Any]:
        self._send(command, words)
        return self._answer()

    def _send(self, command: str, words: dict[str, str]) -> None:
        line = " ".join([command, *(f"{key}={word}" for key, word in words.items())])
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._death(b"") from None

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._death(line)
        fact = _read(line, dict[str, Any])
        if fact.get("fact") == "error":
            raise _refused(fact)
        return fact

    def _death(self, line: bytes) -> Exception:
        status = self._process.wait()
        return _error_of(line, status, os.pread(self._errors, LAST_WORDS_BYTES, 0))
