"""Memory is where it was asked for, in the pages that the kernel states, and every page is its own."""

import os
import re
import struct
from pathlib import Path

import pytest

from border import CPUS, Talk, refused

MIB = 1 << 20
SIZE = 12 * MIB  # no stack of a thread has this size
HUGE = 2 * MIB


def mapping(pid: int, size: int) -> tuple[int, dict[str, int]]:
    """Start of the one anonymous mapping of this size, and its figures in bytes, from smaps."""
    found = []
    text = Path(f"/proc/{pid}/smaps").read_text()
    for part in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", text)[1:]:
        start, end = (int(word, 16) for word in part.split(maxsplit=1)[0].split("-"))
        if end - start == size and " rw-p " in part.splitlines()[0]:
            figures = {key: int(kib) * 1024 for key, kib in re.findall(r"(?m)^(\w+): +(\d+) kB$", part)}
            found.append((start, figures))
    assert len(found) == 1, text
    return found[0]


@pytest.mark.parametrize("pages", ["4k", "thp"])
def test_the_fact_is_that_of_the_kernel(pages: str) -> None:
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel=copy cpus={CPUS[0]} footprint=12MiB pages={pages}")
        _, figures = mapping(talk.process.pid, SIZE)
    huge = figures["AnonHugePages"]
    wanted = {str(HUGE): huge, "4096": SIZE - huge}
    assert group["pages"] == {page: size for page, size in wanted.items() if size}
    if pages == "4k":
        assert huge == 0


@pytest.mark.parametrize("kernel", ["read", "write", "triad", "chase", "probe"])
def test_every_byte_is_there_before_the_first_block(kernel: str) -> None:
    """Memory that was never written is one page of zeros, which fits in every cache."""
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel={kernel} cpus={CPUS[0]} footprint=12MiB pages=4k")
        _, figures = mapping(talk.process.pid, SIZE)
    assert group["footprint_bytes"] <= SIZE
    assert figures["Rss"] == figures["Private_Dirty"] == SIZE


def test_no_two_pages_are_one() -> None:
    """The kernel shows page frames to root alone; else they all read as 0."""
    with Talk() as talk:
        talk.prepare(f"kernel=read cpus={CPUS[0]} footprint=12MiB pages=4k")
        start, _ = mapping(talk.process.pid, SIZE)
        with Path(f"/proc/{talk.process.pid}/pagemap").open("rb") as pagemap:
            pagemap.seek(start // 4096 * 8)
            words = struct.unpack(f"<{SIZE // 4096}Q", pagemap.read(SIZE // 4096 * 8))
    assert all(word >> 63 for word in words), "a page is not present"
    frames = {word & ((1 << 55) - 1) for word in words}
    if frames == {0}:
        pytest.skip("page frames are not shown here: run as root")
    assert len(frames) == len(words)


def test_the_node_is_verified_or_marked_as_unverified() -> None:
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel=read target=node:0 cpus={CPUS[0]} footprint=12MiB pages=4k")
    if "not verified" in group["placement"]:
        assert group["nodes"] == {}
    else:
        assert group["nodes"] == {"0": SIZE}
        assert group["placement"] == "smaps; move_pages: 3072 of 3072 pages"


def test_the_same_memory_serves_the_next_groups() -> None:
    with Talk() as talk:
        talk.prepare(f"kernel=triad cpus={CPUS[0]} footprint=12MiB pages=4k")
        before, _ = mapping(talk.process.pid, SIZE)
        talk.prepare(f"kernel=read cpus={CPUS[0]} footprint=4MiB pages=4k")
        assert mapping(talk.process.pid, SIZE)[0] == before
        assert talk.say("drop") == {"fact": "dropped"}
        assert f"{before:x}-" not in Path(f"/proc/{talk.process.pid}/maps").read_text()


@pytest.mark.parametrize(("word", "kib"), [("2m", 2048), ("1g", 1048576)])
def test_huge_pages_that_are_not_reserved_end_with_the_line_that_reserves_them(word: str, kib: int) -> None:
    folder = Path(f"/sys/devices/system/node/node0/hugepages/hugepages-{kib}kB")
    free = int((folder / "free_hugepages").read_text()) if folder.exists() else 0
    needed = free + 1
    status, message = refused(f"group kernel=read cpus={CPUS[0]} footprint={needed * kib}KiB pages={word}", "prepare")
    assert status == 3
    assert f"{word} pages: {needed} needed, {free} free on node 0" in message
    assert f"echo {needed} > {folder}/nr_hugepages" in message


def test_huge_pages_that_are_reserved_are_used() -> None:
    count = Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages")
    if os.geteuid() != 0 or not os.access(count, os.W_OK):
        pytest.skip("only root can reserve huge pages")
    before = count.read_text()
    count.write_text(str(int(before) + SIZE // HUGE))
    try:
        if int(count.read_text()) < int(before) + SIZE // HUGE:
            pytest.skip("memory is too fragmented for six huge pages")
        with Talk() as talk:
            (group,) = talk.prepare(f"kernel=add cpus={CPUS[0]} footprint={SIZE}B pages=2m")
            assert group["pages"] == {str(HUGE): SIZE}
            assert talk.say("measure seconds=0.01")["rows"] > 0
            assert talk.say("check")["largest_relative_error"] == [0]
    finally:
        count.write_text(before)


def test_a_node_that_is_not_there_is_refused_with_those_that_are() -> None:
    status, message = refused(f"group kernel=read target=node:999 cpus={CPUS[0]} footprint=1MiB", "prepare")
    assert status == 2
    assert message.startswith("node 999 is not online; online nodes: 0")
