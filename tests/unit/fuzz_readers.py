"""Every Python reader of foreign bytes as a target of a fuzzer: real files, damaged at random, must end in a result or
in an error of ours, soon.

A target is a name, its seeds, and a call. Damage is drawn from a seed, so a finding can be had again. Whoever adds a
reader adds a target. Blind to what takes several damages that must fit each other; the native readers are fuzzed by
tests/core/fuzz_*.cpp, guided by coverage.
Source: B. P. Miller, L. Fredriksen, B. So, "An Empirical Study of the Reliability of UNIX Utilities", CACM 1990; A.
Zeller et al., "The Fuzzing Book", chapter "Mutation-Based Fuzzing", 2024.
"""

import random
import re
import shutil
import signal
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from made_work import TASKS
from tierscope import imports, units
from tierscope.core.ask import error_of, read, refused
from tierscope.doctor.check import checks
from tierscope.errors import TierscopeError
from tierscope.fio.answer import parse as parse_fio
from tierscope.host import cxl, peak, persistent, proc, smbios
from tierscope.host.persistent.tools import _ipmctl, _ndctl
from tierscope.host.system import System, parse_list, real, whole
from tierscope.imports import importers
from tierscope.metrics.read import FOLDER, read_metrics
from tierscope.predict.memory import memory
from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Target
from tierscope.record.result import BLOCK, GroupFacts, load, load_manifest, read_blocks, write_blocks
from tierscope.reference import parse as parse_reference
from tierscope.suites.closed_loop import devices
from tierscope.suites.groups.experiments import read_groups
from tierscope.suites.maps import histogram
from trees import SYSTEMS

DATA = Path(__file__).parents[1] / "data"
ROOT = DATA.parents[1]
LONGEST_S = 20  # of one call: a hang on a busy machine too; a good one takes milliseconds
MOST_BYTES = 1 << 20
DICTIONARY = [
    b"", b"0", b"-1", b"1e999", b"-1e-999", b"nan", b"inf", b"NaN", b"18446744073709551616", b"9" * 400, b"0x", b"1_0",
    b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\n",
    b"\r\n", b"\x1b[31m", "\u0663".encode(), "\u2028".encode(), b"%s", b"'", b'"', b"[" * 2000, b"{" * 200, b"(", b"*",
    b"../..", b"=", b",", b":", b"1,5", b"1:18446744073709551615", b"GiB", b"1 000",
]  # fmt: skip
"""Bytes that readers trip over: limits of numbers, other digits, quotes, escapes, deep nesting, half of a character."""

Call = Callable[[bytes, Path], object]


@dataclass(frozen=True)
class Reader:
    """`seeds`: whole inputs. `call` gets damaged bytes and an empty folder; `raises`: the errors that it documents."""

    name: str
    seeds: Callable[[], list[bytes]]
    call: Call
    raises: tuple[type[Exception], ...] = (TierscopeError,)


class HangError(Exception):
    """One call took longer than LONGEST_S."""


@contextmanager
def limited(seconds: float = LONGEST_S) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise HangError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def damaged(seeds: list[bytes], draw: random.Random) -> bytes:
    """Up to six changes of one seed: bytes, words, numbers, pieces gone, doubled, moved, or of another seed."""
    text = bytearray(draw.choice(seeds))
    for _ in range(draw.randint(1, 6)):
        _change(text, seeds, draw)
    return bytes(text[:MOST_BYTES])


def _change(text: bytearray, seeds: list[bytes], draw: random.Random) -> None:
    at, length = draw.randint(0, len(text)), draw.choice((1, 1, 2, 8, 64, 1024))
    match draw.randrange(9):
        case 0 if text:
            text[min(at, len(text) - 1)] = draw.randrange(256)
        case 1 if text:
            text[min(at, len(text) - 1)] ^= 1 << draw.randrange(8)
        case 2:
            del text[at : at + length]
        case 3:
            text[at:at] = text[at : at + length] * draw.choice((1, 1, 2, 50))
        case 4:
            other = draw.choice(seeds)
            begin = draw.randint(0, len(other))
            text[at:at] = other[begin : begin + length]
        case 5:
            text[at:at] = draw.choice(DICTIONARY)
        case 6 | 7:
            _replace_word(text, draw)
        case _:
            del text[at:]


def _replace_word(text: bytearray, draw: random.Random) -> None:
    """A number or a word becomes another one of the same text, or one of DICTIONARY."""
    words = list(re.finditer(rb"-?[0-9][0-9.eE+-]*|[A-Za-z_]+", bytes(text[:65536])))
    if words:
        word = draw.choice(words)
        text[word.start() : word.end()] = draw.choice([draw.choice(DICTIONARY), draw.choice(words).group()])


def attempt(reader: Reader, content: bytes) -> None:
    """Whatever is raised but an error of ours is a finding."""
    folder = Path(tempfile.mkdtemp(prefix="tierscope-fuzz-"))
    try:
        with limited(), suppress(*reader.raises):
            reader.call(content, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def contents(reader: Reader, seed: int) -> Iterator[bytes]:
    """The seeds unchanged, then damaged ones without end."""
    seeds = reader.seeds()
    yield from seeds
    draw = random.Random(f"{reader.name}:{seed}")
    while True:
        yield damaged(seeds, draw)


# --- the targets ---


def _files(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def _plans() -> list[bytes]:
    """The examples of the documents."""
    text = (ROOT / "docs/how-to/own-groups.md").read_text()
    return [plan.encode() for plan in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]


def _words(*words: str) -> Callable[[], list[bytes]]:
    return lambda: [word.encode() for word in words]


def _text(call: Callable[[str], object]) -> Call:
    """The texts of readers whose input was decoded before, as `Path.read_text` or `errors="replace"` do it."""
    return lambda content, _: call(content.decode(errors="replace"))


def _import(content: bytes, folder: Path) -> None:
    path = folder / "output"
    path.write_bytes(content)
    with suppress(TierscopeError):
        imports.read(path)
    for name in importers:
        with suppress(TierscopeError):
            importers[name].read(content.decode(errors="replace"))


def _result(content: bytes, folder: Path) -> None:
    (folder / "result.json").write_bytes(content)
    (folder / "manifest.json").write_bytes(content)
    with suppress(TierscopeError):
        load_manifest(folder)
    load(folder)


def _samples() -> list[bytes]:
    folder = Path(tempfile.mkdtemp(prefix="tierscope-fuzz-"))
    try:
        blocks = np.zeros(40, dtype=BLOCK)
        blocks["start_ticks"] = np.arange(40)
        write_blocks(folder / "samples", blocks)
        return [(folder / "samples").read_bytes(), (DATA / "run-schema-1/samples/0000.parquet").read_bytes()]
    finally:
        shutil.rmtree(folder)


def _read_samples(content: bytes, folder: Path) -> None:
    (folder / "samples").write_bytes(content)
    read_blocks(folder / "samples")


def _answer(content: bytes, _: Path) -> None:
    kinds: tuple[Any, ...] = (Catalogue, dict[str, Any], tuple[GroupFacts, ...])
    for kind in kinds:
        with suppress(TierscopeError):
            read(content, kind)
    with suppress(TierscopeError):
        refused(read(content, dict[str, Any]))
    error_of(content, 3, content)


def _system(content: bytes, folder: Path) -> None:
    """A recorded tree as text: any file of it may contain anything. Text that is not TOML is one file of many names."""
    try:
        files = tomllib.loads(content.decode(errors="surrogateescape"))
    except (ValueError, RecursionError):
        files = dict.fromkeys(NAMES, content)
    for path, text in list(files.items())[:3000]:
        place = Path(f"{folder}/{path}")
        with suppress(OSError, ValueError):
            if ".." in place.parts or not place.is_relative_to(folder):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else str(text).encode(errors="surrogateescape"))
    _look(System(folder, wait=lambda _: None))


NAMES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/self/status", "/proc/self/mounts", "/proc/mounts",
         "/proc/cmdline", "/proc/pressure/cpu", "/sys/firmware/dmi/tables/DMI", "/sys/devices/system/node/online",
         "/sys/devices/system/node/has_memory", "/sys/devices/system/cpu/online", "/sys/bus/dax/devices/dax0.0/size",
         "/proc/self/cgroup", "/proc/self/mountinfo")  # fmt: skip


def _look(system: System) -> None:
    persistent.look(system)
    cxl.look(system)
    for virtual in (False, True):
        peak.theoretical(system, virtual)
    for ask in (proc.status, proc.meminfo, proc.first_cpu, proc.flags, proc.online, proc.allowed, proc.memory_nodes,
                proc.cpu_time, proc.virtual, proc.vendor, smbios.dimms):  # fmt: skip
        ask(system)
    proc.pressure(system, "cpu")
    for name in checks:
        checks[name].examine(system)


def _trees() -> list[bytes]:
    small = [path.read_bytes() for path in sorted(SYSTEMS.glob("*.toml"))]
    return sorted(small, key=len)[:4]


def _tables() -> list[bytes]:
    from dmi import Module, table

    return [table([Module(locator="DIMM_A1", bank="NODE 1"), Module(locator="B", gib=256, rated=70000)])]


def _say(read: Callable[[str], Iterator[str]]) -> Call:
    return _text(lambda text: list(read(text)))


def _word(text: str) -> None:
    for read_word in (units.parse_bytes, units.parse_seconds, units.parse_rate, Target.parse, memory,
                      parse_list, whole, real):  # fmt: skip
        with suppress(TierscopeError):
            read_word(text)


def _tool(text: str) -> Iterator[str]:
    """Their output reaches these readers as JSON or as text; text that is not JSON is refused where it is read."""
    with suppress(ValueError, RecursionError):
        yield from _ndctl(text)


DEVICES = tuple(devices.draw(number, 1, 0.05).word("blank") for number in range(5))

READERS = (
    Reader("imports", _files("tests/data/imports/*"), _import),
    Reader("result", _files("tests/data/run-schema-1/*.json"), _result),
    Reader("samples", _samples, _read_samples),
    Reader("groups", _plans, _text(lambda text: read_groups(text, TASKS))),
    Reader("metrics", lambda: [path.read_bytes() for path in sorted(FOLDER.glob("*.toml"))],
           _text(lambda text: read_metrics("fuzzed", text))),
    Reader("references", _files("src/tierscope/reference/*.csv"),
           _text(lambda text: parse_reference("fuzzed", text)), (ValueError,)),  # of ours alone, in the package
    Reader("fio", _files("tests/data/fio/*", "tests/data/imports/fio*.json"), _text(parse_fio)),
    Reader("smbios", _tables, lambda content, _: smbios.parse(content)),
    Reader("devices", _words(*DEVICES), _text(devices.parse)),
    Reader("histograms", _words("1:5 3:2 100:70000", "0:1"), _text(histogram.read)),
    Reader("answers", _files("tests/data/run-schema-1/result.json"), _answer),
    Reader("system", _trees, _system),
    Reader("health", _words('[{"dev":"nmem0","health":{"health_state":"ok","spares_percentage":99}}]',
                            "<Dimm><DimmID>0x0001</DimmID><HealthState>Healthy</HealthState></Dimm>"),
           lambda content, folder: (_say(_ipmctl)(content, folder), _say(_tool)(content, folder))),
    Reader("words", _words("1GiB", "350ns", "10GB/s", "file:/x,open", "sim:optane100", "node:0", "0-3,8",
                           "read=305ns,cache=32KiB:1.5ns,bandwidth=7GB/s", "document 004"), _text(_word)),
)  # fmt: skip
