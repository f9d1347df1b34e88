"""The tracer, and the command line that runs a program in it.

The tracer is a plug-in of QEMU's user-mode emulator with a licence of its own (tracer/README.md). It is a separate
program for us: we start it, and read its stream from a pipe.
"""

import os
import platform
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from tierscope.core import build_tracer
from tierscope.errors import MachineError, UsageError, reason

EMULATOR = "qemu-x86_64"
OBJECTS = "tierscope-objects.so"  # loaded into the program, next to the plug-in
PRELOAD, KEPT_PRELOAD = "LD_PRELOAD", "_TIERSCOPE_PRELOAD"  # the second keeps what the user loads
PROCESSOR = "max,-erms,-fsrm"  # with rep movsb, a copy of a megabyte would be a million blocks
BRING = "sudo apt-get install -y qemu-user libzydis-dev g++ cmake"

SAMPLED = "all=50000000,skip=10000000,warm=4000000,unit=1000000"  # instructions; tracer/README.md
HEAD, UNIT = 5_000_000, 500_000  # instructions that are timed, before the first gap and behind each
WARM = 2_000_000  # instructions between a gap and its unit
LINES = 20_000_000  # instructions at the end of a gap whose lines are stated
FINER = 4  # times the units, each of this part of the instructions, if the lines of all gaps are stated
BEGIN = 4  # a unit over its begin, which most machines time alone (`begun`)
DOUBLES = 24  # gaps, after which they double
DOUBLED = 4  # times, of a program that runs 15x SLOWEST_PER_S
SLOWEST_PER_S = 3e8  # instructions of a program that waits for memory most of the time
SHORTEST_SKIP = 1_000_000  # instructions
ELF = b"\x7fELF"
CLASS_64, MACHINE_X86_64 = 2, 62
DEEPEST = 4  # scripts whose interpreter is a script


def for_many(user_s: float) -> str:
    """Return the sampling of a program that dozens of machines replay; user_s: its CPU time here, 0: not known.

    It has DOUBLES units if it runs SLOWEST_PER_S. Gaps double, so at 15x that speed it has 4x as many, and the replay
    of a long program takes no longer than that of a short one. A short one has FINER times the units, each shorter.
    """
    finer = _finer(user_s)
    return (f"all={HEAD},lines={LINES},warm={WARM // finer},unit={UNIT // finer},"
            f"skip={_skip(user_s) // finer},doubles={DOUBLES * finer}")  # fmt: skip


def begin_of_unit(user_s: float) -> int:
    """Return the instructions of the begin of a unit, with this sampling."""
    return UNIT // _finer(user_s) // BEGIN


def timed(user_s: float, instructions: float) -> int:
    """Return how many of the first instructions of a program are timed, with this sampling."""
    finer, left, units = _finer(user_s), instructions - HEAD, 0
    while left > 0:
        left -= (_skip(user_s) // finer << units // (DOUBLES * finer)) + (WARM + UNIT) // finer
        units += 1
    return HEAD + UNIT // finer * units


def _finer(user_s: float) -> int:
    """Return how many times the units are finer."""
    longest = (_skip(user_s) // FINER) << DOUBLED
    return FINER if longest <= LINES else 1


def _skip(user_s: float) -> int:
    return max(round(user_s * SLOWEST_PER_S / DOUBLES), SHORTEST_SKIP)


def traced_words(
    command: Sequence[str], descriptor: int, sampling: str = "", *, objects: bool = False, process: str = ""
) -> list[str]:
    """Return the words that run `command` in the tracer, whose stream goes to `descriptor`.

    sampling: of a long program, which units are traced, as SAMPLED. objects: with the call stacks of its allocations.
    process: the number of the one that is traced (`family`), from the program on that it becomes.

    MachineError without the emulator or the tracer; UsageError for what neither can run, with what to do.
    """
    if platform.machine() != "x86_64":
        raise MachineError(f"the tracer runs programs of x86-64, and this machine is {platform.machine()}; "
                           "trace on an x86-64 machine")  # fmt: skip
    emulator = shutil.which(EMULATOR)
    if emulator is None:
        raise MachineError(f"{EMULATOR} is not installed; {BRING}")
    program = runnable(command)
    chosen = f"process={process}" if process else ""
    arguments = ",".join(word for word in (f"fd={descriptor}", sampling, chosen) if word)
    tracer = _tracer()
    loaded = _loaded(tracer) if objects else []
    return [emulator, "-cpu", PROCESSOR, *loaded, "-plugin", f"{tracer},{arguments}", *program]


def _loaded(tracer: Path) -> list[str]:
    """Return the words that load the library of objects into the program, before what the user loads."""
    library, others = tracer.with_name(OBJECTS), os.environ.get(PRELOAD, "")
    if not library.is_file():
        raise MachineError(f"{library} is not there, which states the allocations of a program; build the tracer again")
    every = f"{library}:{others}" if others else str(library)
    return ["-E", f"{PRELOAD}={every}", "-E", f"{KEPT_PRELOAD}={others}"]


def runnable(command: Sequence[str], depth: int = 0) -> list[str]:
    """Return `command` with the path of a program in front: a script becomes its interpreter and itself.

    UsageError for what does not exist, is not executable, or is a program of another kind.
    """
    path = shutil.which(command[0])
    if path is None:
        raise UsageError(_not_started(command[0]))
    try:
        with open(path, "rb") as file:
            head = file.read(512)
    except OSError as error:
        raise UsageError(f"program {path} cannot be read: {reason(error)}; the tracer must read it") from error
    if head.startswith(b"#!") and depth < DEEPEST:
        return runnable([*_interpreter(head, path), path, *command[1:]], depth + 1)
    _refuse_others(head, path)
    return [path, *command[1:]]


def _not_started(name: str) -> str:
    """Return why no program of this name can start, with what to do."""
    if not Path(name).is_file():
        return f"{name} is not a program here; name one that can be started, or its path"
    if not os.access(name, os.X_OK):
        return f"{name} may not be executed; try: chmod +x {shlex.quote(name)}"
    return f"{name} is a file in this folder and not on PATH; name its path: ./{name}"


def _interpreter(head: bytes, path: str) -> list[str]:
    """Return what the first line of a script names, without `env`, behind which the kernel would run it untraced."""
    words = head.splitlines()[0][2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if word != "-S"]
    if not words:
        raise UsageError(f"script {path} names no interpreter in its first line; name the interpreter in front of it")
    return words


def _refuse_others(head: bytes, path: str) -> None:
    if not head.startswith(ELF) or len(head) < 20:
        raise UsageError(f"{path} is neither a program nor a script with #!; name its interpreter in front of it")
    if head[4] != CLASS_64 or int.from_bytes(head[18:20], "little") != MACHINE_X86_64:
        kind = "32-bit program" if head[4] != CLASS_64 else "program of another processor"
        raise UsageError(f"{path} is a {kind}, and the tracer runs 64-bit programs of x86-64; build it for x86-64")


def _tracer() -> Path:
    """Return TIERSCOPE_TRACER, or the one that is built now if this is a checkout; MachineError if there is none."""
    if named := os.environ.get("TIERSCOPE_TRACER"):
        if not Path(named).is_file():
            raise MachineError(f"TIERSCOPE_TRACER={named} is not a file; build the tracer as its README.md states")
        return Path(named).resolve()
    try:
        return build_tracer()
    except OSError as error:
        raise MachineError(
            f"the tracer is not built: {reason(error)}; {BRING}, then try again in a checkout"
        ) from error
