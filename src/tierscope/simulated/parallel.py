"""One stream of a tracer through simulated machines on all CPUs: each CPU has a core process with some of them.

The stream is copied to all core processes, piece by piece, so that each machine gets the same trace. Machines with the
same caches are in one process where possible, since they share the warming (`alike`). The slowest process limits the
tracer. If one fails, the others end, too, since an answer needs all machines. If this process is killed, the streams
end, and so do the cores and the tracer.
Blind to: CPUs that other programs use.
"""

import fcntl
import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress

from tierscope.simulated.alike import by_caches

PIECE = 1 << 20  # bytes, of a pipe and of a copy
LOOK_S = 0.1  # between looks at whether a core has failed, while the tracer writes nothing
Trace = Callable[[Sequence[str], int], Iterator[bytes]]
"""The replay of a stream, by its descriptor: a line for each machine."""


def in_parallel(trace: Trace, words: Sequence[str], reading: int) -> list[bytes]:
    """Return the answers in the order of the words. The first error of a core is raised, when all have ended."""
    count = min(len(os.sched_getaffinity(0)), len(words))
    order = by_caches(words)
    parts = [order[number * len(order) // count : (number + 1) * len(order) // count] for number in range(count)]
    groups = [[words[number] for number in part] for part in parts]
    ends = [os.pipe() for _ in groups]
    failed: list[BaseException] = []
    stop = threading.Event()
    copier = threading.Thread(target=_copy, args=(reading, [end for _, end in ends], stop), daemon=True)
    with ThreadPoolExecutor(count) as pool:
        jobs = [pool.submit(_answer, trace, group, end, failed) for group, (end, _) in zip(groups, ends, strict=True)]
        copier.start()
        try:
            wait(jobs, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()  # all have their answers, or one has none: no stream is needed any more
            copier.join()
    if failed:
        raise failed[0]  # what others report follows from it
    answers = dict(zip(order, (answer for job in jobs for answer in job.result()), strict=True))
    return [answers[number] for number in range(len(words))]


def _answer(trace: Trace, words: Sequence[str], end: int, failed: list[BaseException]) -> list[bytes]:
    try:
        return list(trace(words, end))
    except BaseException as error:
        failed.append(error)
        raise
    finally:
        os.close(end)  # only now does the copier notice


def _copy(reading: int, ends: list[int], stop: threading.Event) -> None:
    """Copy until the stream ends, no core reads any more, or `stop`."""
    for end in ends:
        with suppress(OSError):  # a system may allow less
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIECE)
    try:
        while ends and not stop.is_set():
            if not select.select([reading], [], [], LOOK_S)[0]:
                continue
            piece = os.read(reading, PIECE)
            if not piece:
                return
            for end in list(ends):
                if not _written(end, piece):
                    os.close(end)
                    ends.remove(end)
    finally:
        for end in ends:
            os.close(end)


def _written(end: int, piece: bytes) -> bool:
    """Return whether all of it could be written."""
    rest = memoryview(piece)
    try:
        while rest:
            rest = rest[os.write(end, rest) :]
    except BrokenPipeError:
        return False
    return True
