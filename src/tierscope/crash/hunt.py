"""The hunt: count the fences in a first run, draw points among them, make their images in a second run, check each."""

import errno
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tierscope import stops
from tierscope.crash.asked import Asked, Found, Point
from tierscope.crash.images import copy_sparse, keep, make_image, remove
from tierscope.crash.processes import Ended, run
from tierscope.crash.writer import Writer, pmdk_environment
from tierscope.errors import MachineError, UsageError, reason

FULL = (errno.ENOSPC, errno.EDQUOT)


def hunt(asked: Asked, tell: Callable[[str], object] = str) -> Found:
    """Return what a hunt finds; call `tell` at each step.

    UsageError, MachineError before the first: nothing is left then.
    """
    _refuse_nonsense(asked)
    with _workplace(asked.file) as place:
        writer = Writer(asked, place)
        try:
            counts = writer.run(1, ())
            _check_the_check(asked, writer, place)
            drawn = draw(fences_of_interest(counts.file_fences, asked.drop_fence), asked)
            stores = writer.run_with_cuts(2, drawn).stores
        finally:
            writer.remove()
        points = []
        for number, fence in enumerate(drawn, 1):
            tell(f"power failure {number} of {len(drawn)}")
            points.append(_judge(asked, writer, place, fence))
    reached = tuple(point for point in points if point is not None)
    missed = tuple(fence for fence, point in zip(drawn, points, strict=True) if point is None)
    return Found(file=str(asked.file), seed=asked.seed, counts=counts, points=reached, missed=missed,
                 stores=stores)  # fmt: skip


def fences_of_interest(fences: int, drop_fence: int) -> Sequence[int]:
    """Return all fences, from 1; with dropped ones, those that follow one: the next fence repairs what it left open."""
    return range(1 + drop_fence, fences + 1, drop_fence or 1)


def draw(fences: Sequence[int], asked: Asked) -> tuple[int, ...]:
    """Return different fences in rising order; all of them if there are no more than requested."""
    chosen = random.Random(asked.seed).sample(fences, min(asked.points, len(fences)))  # noqa: S311
    if not chosen:
        raise UsageError(f"the writer makes too few fences to drop every {asked.drop_fence}th; a smaller --drop-fence")
    return tuple(sorted(chosen))


def _refuse_nonsense(asked: Asked) -> None:
    if not asked.writer:
        raise UsageError("no writer is named; put its command line after --")
    if not any("{image}" in word for word in asked.check):
        raise UsageError("the check has no {image}, the place of the file to check; such as --check './check {image}'")
    if not asked.file.parent.is_dir():
        raise UsageError(f"{asked.file.parent} is not a folder; name a file that the writer can make")
    if asked.file.exists() and not asked.file.is_file():
        raise UsageError(f"{asked.file} is not a regular file, and only a regular file can be followed")
    if not str(asked.file).isprintable():
        raise UsageError(f"{str(asked.file)!r} contains bytes that are not text")
    if asked.keep is not None:
        try:
            asked.keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--keep {asked.keep}: {reason(error)}; name a directory") from error


@contextmanager
def _workplace(file: Path) -> Iterator[Path]:
    """Yield a folder next to the file, so on the same file system; it is removed at the end, also after two stops."""
    parent = file.absolute().parent
    try:
        with stops.heard():
            folder = Path(tempfile.mkdtemp(dir=parent, prefix=".tierscope-crash-"))
            try:
                yield folder
            finally:
                with stops.held():
                    shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise MachineError(_refusal(parent, error)) from error


def _refusal(parent: Path, error: OSError) -> str:
    if error.errno in FULL:
        return (f"{parent} is full: {reason(error)}; a hunt needs space for three copies of the file and for its "
                "images; name a file on a larger file system, such as /dev/shm, or fewer --points")  # fmt: skip
    return f"work next to the file in {parent}: {reason(error)}; name a file in a folder that you may write to"


def _check(asked: Asked, image: Path, log: Path) -> Ended:
    words = [word.replace("{image}", str(image)).replace("{log}", str(log)) for word in asked.check]
    environment = {**pmdk_environment(), "TIERSCOPE_CRASH_LOG": str(log)}
    return run(words, environment, limit_s=asked.limit_s)


def _check_the_check(asked: Asked, writer: Writer, place: Path) -> None:
    """Check the file as the writer left it, with all that it printed: what fails here would fail everywhere."""
    image = place / "intact"
    if not writer.file.exists():
        raise UsageError(f"the writer removed {asked.file} before its end, and nothing is left to check")
    copy_sparse(writer.file, image)
    ended = _check(asked, image, writer.log(1))
    if ended.status != 0:
        raise UsageError(f"the check refuses even the file as the writer left it, without any crash ({ended.how}); "
                         "fix the check, or the writer")  # fmt: skip
    remove(image)


def _judge(asked: Asked, writer: Writer, place: Path, fence: int) -> Point | None:
    image, log = place / "image", place / "log"
    if not make_image(writer.folder(2), fence, writer.log(2), image, log):
        return None
    ended = _check(asked, image, log)
    point = Point(fence=fence, verdict=_verdict(ended.status), detail="" if ended.status == 0 else ended.how)
    remove(image, log)
    if asked.keep is not None and point.verdict != "passed":
        make_image(writer.folder(2), fence, writer.log(2), image, log)  # the check may have fixed it
        keep(image, log, asked.keep, fence)
    remove(image, log)
    return point


def _verdict(status: int | None) -> str:
    if status is None:
        return "hang"
    return "passed" if status == 0 else "signal" if status < 0 else "wrong"
