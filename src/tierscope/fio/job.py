"""One job as options of fio: those of the workload, and those that state how and where."""

from collections.abc import Mapping

from tierscope.errors import UsageError
from tierscope.fio.place import Place
from tierscope.record.work.job import JobWork
from tierscope.units import MiB

SYNCHRONOUS = ("psync",)
"""Engines of one operation at a time: a queue of n is n threads there."""

FILL_BLOCK = MiB
SEED = 1995


def words_of(work: JobWork) -> dict[str, str]:
    """Return the options of a job: 'rw=randread iodepth=16' -> {'rw': 'randread', 'iodepth': '16'}."""
    return dict(word.split("=", 1) for word in work.arguments.split())


def threads_of(words: Mapping[str, str], engine: str) -> int:
    return int(words.get("iodepth", "1")) if engine in SYNCHRONOUS else 1


def basis(place: Place, engine: str, *, direct: bool) -> dict[str, str]:
    """Return what every call has: one process, the open file, the engine."""
    return {
        "name": "tierscope",
        "filename": place.path,
        "size": str(place.size_bytes),
        "ioengine": engine,
        "direct": str(int(direct)),
        "thread": "",
        "allow_file_create": "0",
    }


def fill(place: Place, engine: str, *, direct: bool) -> dict[str, str]:
    """Return a job that writes every block once, in order, and flushes: reads of blocks never written cost nothing.

    The bytes are random and never the same twice, so that storage which squeezes or shares blocks cannot.
    """
    depth = {} if engine in SYNCHRONOUS else {"iodepth": "16"}
    block = str(min(FILL_BLOCK, place.size_bytes))
    words = {"rw": "write", "bs": block, "end_fsync": "1", "refill_buffers": ""}
    return {**basis(place, engine, direct=direct), **words, **depth}


def trial(place: Place, engine: str, block_bytes: int, *, direct: bool) -> dict[str, str]:
    """Return a job of one read, which shows whether the engine works here at all."""
    words = {"rw": "read", "bs": str(block_bytes), "number_ios": "1", "iodepth": "1"}
    return {**basis(place, engine, direct=direct), **words}


def is_sequential(words: Mapping[str, str]) -> bool:
    return not words["rw"].startswith("rand")


def slice_bytes(place: Place, words: Mapping[str, str], engine: str) -> int:
    """Return the bytes of each thread of a sequential job: whole blocks that no other thread touches.

    UsageError where there is none.
    """
    threads, block = threads_of(words, engine), int(words["bs"])
    own = place.size_bytes // threads // block * block
    if not own:
        raise UsageError(
            f"size={place.size_bytes}: each of the {threads} threads of {engine} visits blocks of its own, and one of "
            f"{block} bytes does not fit; name a larger size= or a smaller depth"
        )
    return own


def walk(place: Place, words: Mapping[str, str], engine: str, start: float) -> dict[str, str]:
    """Return where a sequential repeat goes: from `start`, a share of each slice, to its end; {} of others."""
    if not is_sequential(words):
        return {}
    own, block = slice_bytes(place, words, engine), int(words["bs"])
    before = int(start * own) // block * block
    many = {"offset_increment": str(own)} if threads_of(words, engine) > 1 else {}
    return {"offset": str(before), "size": str(own - before), **many}


def measured(
    place: Place, engine: str, words: Mapping[str, str], seconds: float, repeat: int, start: float, *, direct: bool
) -> dict[str, str]:
    """Return the options of one repeat: ramp, then `seconds`.

    Each has its own seed and start, so that repeats do not repeat one pattern.
    """
    threads = threads_of(words, engine)
    queue = {"iodepth": "1", "numjobs": str(threads), "group_reporting": ""} if threads > 1 else {}
    return {
        **basis(place, engine, direct=direct),
        **words,
        **queue,
        **walk(place, words, engine, start),
        "randseed": str(SEED + repeat),
        "time_based": "",
        "runtime": f"{round(seconds * 1e3)}ms",
        "lat_percentiles": "1",
        "clat_percentiles": "0",
    }
