"""Power failures without a core: which fences are drawn, how an image is made of its parts, what is reported."""

import errno
import os
import re
import shutil
import signal
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from shell import wait_for
from tierscope import stops
from tierscope.crash import hunt
from tierscope.crash.asked import Asked, Counts, Found, Point
from tierscope.crash.images import copy_sparse, keep, make_image
from tierscope.crash.processes import run
from tierscope.crash.text import show
from tierscope.errors import MachineError, UsageError

COUNTS = Counts(flushes=9, lines=90, fences=8, syncs=0, file_flushes=7, file_fences=6, dropped=0)


def asked(**how: object) -> Asked:
    words: dict[str, object] = {"file": Path("pool"), "writer": ("./w",), "check": ("./c", "{image}"), **how}
    return Asked(**words)  # type: ignore[arg-type]


# --- which fences ---


@given(st.integers(1, 2000), st.integers(1, 200), st.integers(0, 2**64 - 1))
def test_points_are_different_fences_in_order(fences: int, points: int, seed: int) -> None:
    drawn = hunt.draw(hunt.fences_of_interest(fences, 0), asked(points=points, seed=seed))
    assert len(drawn) == min(points, fences)
    assert list(drawn) == sorted(set(drawn))
    assert 1 <= drawn[0] <= drawn[-1] <= fences


@given(st.integers(2, 500), st.integers(1, 50))
def test_with_lost_fences_each_point_follows_one(fences: int, drop: int) -> None:
    wanted = [fence for fence in range(1, fences + 1) if fence > 1 and (fence - 1) % drop == 0]
    assert list(hunt.fences_of_interest(fences, drop)) == wanted


def test_too_few_fences_to_lose_one_are_refused() -> None:
    with pytest.raises(UsageError, match="too few fences to drop every 9th; a smaller --drop-fence"):
        hunt.draw(hunt.fences_of_interest(9, 9), asked(drop_fence=9))


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENOSPC, "is full: No space left on device; a hunt needs space for three copies"),
        (errno.EROFS, "Read-only file system; name a file in a folder that you may write to"),
    ],
)
def test_a_too_small_file_system_is_reported_with_what_to_do(tmp_path: Path, number: int, why: str) -> None:
    def work() -> None:
        with hunt._workplace(tmp_path / "file") as place:
            (place / "image").touch()
            raise OSError(number, os.strerror(number))

    with pytest.raises(MachineError, match=why):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_second_stop_does_not_keep_the_work_from_being_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removal = shutil.rmtree

    def stopped(path: Path, ignore_errors: bool) -> None:
        signal.raise_signal(signal.SIGINT)
        removal(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", stopped)
    handlers = [signal.getsignal(number) for number in stops.SIGNALS]
    with pytest.raises(KeyboardInterrupt), hunt._workplace(tmp_path / "file"):
        signal.raise_signal(signal.SIGTERM)
    assert list(tmp_path.iterdir()) == []
    assert [signal.getsignal(number) for number in stops.SIGNALS] == handlers


# --- images ---


def made_run(
    folder: Path, start: bytes, size: int, lines: dict[int, bytes], printed: int, smallest: int | None = None
) -> Path:
    """The output of the library for fence 7."""
    run_folder = folder / "run"
    run_folder.mkdir()
    (run_folder / "start").write_bytes(start)
    words = [np.array([size, len(start) if smallest is None else smallest, printed, len(lines)], "<u8").tobytes()]
    words += [np.array([offset], "<u8").tobytes() + content for offset, content in lines.items()]
    (run_folder / "fence-7").write_bytes(b"".join(words))
    return run_folder


def test_an_image_is_the_start_with_its_changed_lines(tmp_path: Path) -> None:
    log = tmp_path / "whole"
    log.write_bytes(b"1\n2\n3\n")
    made = made_run(tmp_path, b"s" * 256, 300, {64: b"a" * 64, 256: b"b" * 64}, 4)
    image, part = tmp_path / "image", tmp_path / "log"
    assert make_image(made, 7, log, image, part)
    assert image.read_bytes() == b"s" * 64 + b"a" * 64 + b"s" * 128 + b"b" * 44
    assert part.read_bytes() == b"1\n2\n"


def test_bytes_truncated_once_are_not_in_the_image(tmp_path: Path) -> None:
    log = tmp_path / "whole"
    log.touch()
    made = made_run(tmp_path, b"s" * 256, 256, {192: b"a" * 64}, 0, smallest=64)
    assert make_image(made, 7, log, tmp_path / "image", tmp_path / "log")
    assert (tmp_path / "image").read_bytes() == b"s" * 64 + bytes(128) + b"a" * 64


def test_an_image_of_a_fence_that_was_not_reached_is_none(tmp_path: Path) -> None:
    made = made_run(tmp_path, b"", 0, {}, 0)
    assert not make_image(made, 8, tmp_path / "none", tmp_path / "image", tmp_path / "log")
    assert not (tmp_path / "image").exists()


@pytest.mark.parametrize("size", [0, 1, 4096, 5 << 20])
def test_a_copy_has_the_same_bytes_and_its_holes(tmp_path: Path, size: int) -> None:
    source, to = tmp_path / "source", tmp_path / "to"
    with open(source, "wb") as file:
        file.truncate(size)
        os.pwrite(file.fileno(), b"x"[: min(size, 1)], size // 2)
    copy_sparse(source, to)
    assert to.read_bytes() == source.read_bytes()
    assert to.stat().st_blocks <= source.stat().st_blocks


def test_a_kept_variant_replaces_the_one_before(tmp_path: Path) -> None:
    image, log = tmp_path / "image", tmp_path / "log"
    for content in ("old", "new"):
        image.write_text(content)
        log.write_text(content)
        keep(image, log, tmp_path, 5)
    assert [(tmp_path / name).read_text() for name in ("image-5", "log-5")] == ["new", "new"]


# --- processes ---


def gone(process: int) -> bool:
    """Dead, whether or not its new parent has taken notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_how_a_command_ended_is_reported_with_its_last_line(tmp_path: Path) -> None:
    code = "import os, sys; print('out'); print('first\\nlast\\x07', file=sys.stderr, flush=True); {}"
    ended = [run([sys.executable, "-c", code.format(end)], {}) for end in ("sys.exit(3)", "os.abort()")]
    assert [one.status for one in ended] == [3, -signal.SIGABRT]
    assert [one.how for one in ended] == [r"status 3: last\u0007", r"SIGABRT: last\u0007"]
    assert run(["true"], {}).how == "status 0"


def test_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    number = tmp_path / "number"
    ended = run(["sh", "-c", f"sleep 100 & echo $! > {number}; wait"], {}, limit_s=0.5)
    assert ended.status is None
    assert ended.how == "no end in time"
    wait_for(lambda: gone(int(number.read_text())))


def test_processes_that_a_command_leaves_running_are_ended_too(tmp_path: Path) -> None:
    number = tmp_path / "number"
    assert run(["sh", "-c", f"sleep 100 & echo $! > {number}"], {}).status == 0
    wait_for(lambda: gone(int(number.read_text())))


def test_a_build_without_the_library_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERSCOPE_CORE", str(tmp_path / "tierscope-core"))
    with pytest.raises(MachineError, match=r"libtierscope-shadow\.so is not there: install the wheel again"):
        hunt.hunt(asked(file=tmp_path / "file"))
    spaced = tmp_path / "a b"
    spaced.mkdir()
    (spaced / "libtierscope-shadow.so").touch()
    monkeypatch.setenv("TIERSCOPE_CORE", str(spaced / "tierscope-core"))
    with pytest.raises(MachineError, match="its path has a space or a colon"):
        hunt.hunt(asked(file=tmp_path / "file"))
    assert [path.name for path in tmp_path.iterdir()] == ["a b"]


def test_a_library_that_the_loader_refuses_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of a wheel does where glibc is older than the one that it was linked with."""
    (tmp_path / "libtierscope-shadow.so").write_text("no ELF file, and longer than the header of one" * 9)
    monkeypatch.setenv("TIERSCOPE_CORE", str(tmp_path / "tierscope-core"))
    with pytest.raises(MachineError, match=r"libtierscope-shadow\.so cannot be preloaded: .*\(invalid ELF header\)"):
        hunt.hunt(asked(file=tmp_path / "file"))


# --- what is reported ---


def shown(found: Found, **how: object) -> str:
    console = Console(file=StringIO(), width=200)
    show(found, asked(**how), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_good_hunt_prints_its_counts_and_no_next_step() -> None:
    text = shown(Found("pool", 1, COUNTS, (Point(3, "passed"), Point(5, "passed"))))
    assert text.startswith("pool: 6 fences, 7 flushes\n")
    assert re.search(r"^passed +2 ", text, re.MULTILINE)
    assert "--keep" not in text


def test_failed_points_are_reported_with_the_command_for_their_images() -> None:
    points = tuple(Point(fence, "wrong", f"status 1: lost {fence}") for fence in range(1, 9))
    found = Found("pool", 4, COUNTS, (*points, Point(9, "hang", "no end in time")), missed=(11,))
    text = shown(found)
    assert "power failure before fence 1: status 1: lost 1\n" in text
    assert "and 4 more; --json lists all" in text
    assert "--seed 4 and --keep DIR" in text
    assert "points not reached, since the second run made fewer fences: 1" in text
    assert "Images and logs: kept/image-N" in shown(found, keep=Path("kept"))
