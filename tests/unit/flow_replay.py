"""The replay of made streams of the tracer on simulated machines with a last cache of 64 lines."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

import made_flows as flows
from tierscope import core
from tierscope.simulated.replay import Traced

LINES, LINE = 64, 64  # of the last cache; bytes
BLOCK = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))


def machine(
    *, cpu: str = "", last: str = "4KiB", ways: int = 4, more: str = "", read_ns: int = 100, bandwidth: str = "10GB/s"
) -> str:
    """Return the file of one. cpu: further lines on the CPU and its core; last, ways, more: bytes, ways and further
    lines of the last cache.
    """
    return f"""name = "small"
summary = "a last cache of 64 lines"
source = "made"
[cpu]
count = 1
{cpu}
[[cache]]
name = "L1"
size = "512B"
ways = 2
latency = "1ns"
[[cache]]
name = "L2"
size = "{last}"
ways = {ways}
latency = "2ns"
{more}
[memory.dram]
kind = "flat"
size = "1GiB"
read = "{read_ns}ns"
write = "{read_ns}ns"
bandwidth = "{bandwidth}"
"""


def loads(addresses: Sequence[int]) -> bytes:
    return flows.events(*(word for address in addresses for word in (0, flows.access(address))))


def replayed(
    folder: Path, machines: Sequence[str], *parts: bytes, warm_once: bool = False, more: Sequence[str] = ()
) -> list[Traced]:
    """Return what each machine makes of the stream of these parts, in which block 0 is one load. more: behind words."""
    stream = folder / "t"
    stream.write_bytes(flows.MAGIC + BLOCK + b"".join(parts) + flows.END)
    paths = [folder / f"{number}.toml" for number in range(len(machines))]
    for path, text in zip(paths, machines, strict=True):
        path.write_text(text)
    with stream.open("rb") as opened:
        words = [f"sim:{path}{word}" for path, word in zip(paths, more or [""] * len(paths), strict=True)]
        answers = core.trace(words, opened.fileno(), warm_once=warm_once)
        return [msgspec.json.decode(one, type=Traced) for one in answers]
