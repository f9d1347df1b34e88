"""The bytes that sequential repeats touch: every thread its own slice, every repeat where the last one stopped."""

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

from fake_fio import FakeFio
from tierscope.errors import UsageError
from tierscope.fio import Session, job
from tierscope.fio import process as fio
from tierscope.fio.answer import Document
from tierscope.fio.place import Place
from tierscope.fio.walk import Walk
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.job import JobWork
from tierscope.units import KiB, MiB

WORDS = {"rw": "read", "iodepth": "4", "bs": "131072"}
PLACE = Place(9, 16 * MiB, "ext4", "/dev/sdx")


def group(folder: Path, words: str, size: int, block: int = 4 * KiB) -> tuple[Group, ...]:
    job = JobWork(block_bytes=block, order="sequential", arguments=words)
    work = Workload(kernel="fio", footprint_bytes=size, work=job)
    target = Target(name="storage", where=str(folder), pages="4k")
    return (Group(workload=work, target=target, team=Team(cpus=(0,)), role="job"),)


@pytest.mark.parametrize("threads", [1, 3, 4, 16])
@pytest.mark.parametrize("start", [0.0, 0.3, 0.99])
def test_slices_of_threads_do_not_meet_and_fill_the_file(threads: int, start: float) -> None:
    words = {**WORDS, "iodepth": str(threads)}
    said = job.measured(PLACE, "psync", words, 1.0, 0, start, direct=True)
    touched = np.zeros(16 * MiB // (128 * KiB), dtype=int)
    own = int(said.get("offset_increment", "0"))
    for number in range(int(said.get("numjobs", "1"))):
        first = int(said["offset"]) + number * own
        assert first % (128 * KiB) == int(said["size"]) % (128 * KiB) == 0
        touched[first // (128 * KiB) : (first + int(said["size"])) // (128 * KiB)] += 1
    assert touched.max() == 1
    assert touched.sum() >= threads
    assert start > 0 or touched.sum() > len(touched) - threads  # but for what does not divide


def test_random_jobs_have_the_whole_file() -> None:
    said = job.measured(PLACE, "psync", {**WORDS, "rw": "randread"}, 1.0, 0, 0.5, direct=True)
    assert said["size"] == str(16 * MiB)
    assert not {"offset", "offset_increment"} & set(said)


def test_a_queue_of_one_process_is_one_walk() -> None:
    said = job.measured(PLACE, "libaio", WORDS, 1.0, 0, 0.5, direct=True)
    assert (said["offset"], said["size"]) == (str(8 * MiB), str(8 * MiB))
    assert "offset_increment" not in said


def test_starts_go_through_the_file_and_around() -> None:
    walk, starts = Walk(), []
    for _ in range(8):
        starts.append(walk.start())
        walk.moved(0.2)
    assert starts == pytest.approx([0, 0.2, 0.4, 0.6, 0, 0.2, 0.4, 0.6])


def test_another_job_continues_where_half_the_file_is_left() -> None:
    walk = Walk()
    walk.moved(0.3)
    walk.begin()
    assert walk.start() == pytest.approx(0.3)
    walk.moved(0.3)
    walk.begin()
    assert walk.start() == 0


def test_a_repeat_that_walks_all_of_it_begins_at_the_beginning() -> None:
    walk = Walk()
    for _ in range(3):
        assert walk.start() == 0
        walk.moved(2.5)


def test_a_file_too_small_for_the_slices_is_refused_before_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, session = FakeFio(tmp_path, monkeypatch), Session()
    words = "rw=read iodepth=64 ioengine=psync direct=0"
    with pytest.raises(UsageError, match="one of 131072 bytes does not fit; name a larger size="):
        session.prepare(group(tmp_path, words, 4 * MiB, 128 * KiB))
    assert not [call for call in fake.calls if "--end_fsync=1" in call]
    session.close()


@pytest.mark.skipif(shutil.which("fio") is None, reason="no fio: sudo apt-get install -y fio")
def test_real_repeats_continue_where_the_last_one_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads, each limited to 16 MiB/s: a repeat moves what it must, and the next begins behind it."""
    said: list[tuple[int, int]] = []
    real = fio.run

    def slow(path: str, options: dict[str, str], handles: tuple[int, ...], seconds: float) -> Document:
        timed = "time_based" in options
        document = real(path, options | ({"rate": "16m"} if timed else {}), handles, seconds)
        if timed:
            said.append((int(options["offset"]), document.jobs[0].sides["read"].bytes))
        return document

    monkeypatch.setattr(fio, "run", slow)
    session = Session()
    session.prepare(group(tmp_path, "rw=read iodepth=4 ioengine=psync direct=0", 64 * MiB))
    for _ in range(3):
        session.measure(0.1, 0.0)
    session.close()
    assert said[0][0] == 0
    for (before, moved), (after, _) in itertools.pairwise(said):
        assert 0 < moved < 16 * MiB
        assert after == pytest.approx(before + moved / 4, abs=8 * KiB)
