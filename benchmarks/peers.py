r"""Ours against other tools, kernel by kernel, in one interleaved run.

    python benchmarks/peers.py --stream ./stream-gcc --stream ./stream-clang --bandwidthbenchmark ./bwbench \
        --bandwidthbenchmark-nt ./bwbench-nt --multiload ./multiload [--kernels triad,copy_nt] [--threads 1,2]
    python benchmarks/peers.py --latency --rounds 7 [--sizes 16KiB,1GiB] [--multichase ./multichase]

Peers are found on PATH or by option; those that are not there are named and left out. Nothing is downloaded or built.
benchmarks/README.md describes each, and how it is compared. The aims: each kernel has 0.99 of the best peer in the
median of seven rounds, and 0.97 in the worst; latency is within 1 % of the median of independent chases. Exit status: 0
all are reached, 1 one is missed, 4 one is not known.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from against import compare, latency
from against.babelstream import BabelStream
from against.bandwidthbenchmark import BandwidthBenchmark
from against.chases import every
from against.likwid import Likwid
from against.multiload import Multiload
from against.ours import Stand
from against.reading import Peer, PeerError, Task
from against.stream import Stream
from against.xmem import XMem
from covering.load import machine

from tierscope.errors import Exit
from tierscope.units import parse_bytes

TOOLS: dict[str, tuple[str, Callable[[Path], Peer]]] = {
    "stream": ("stream", Stream),
    "stream-large": ("stream", lambda program: Stream(program, large=True)),
    "stream-nt": ("stream-nt", lambda program: Stream(program, streamed=True)),
    "stream-nt-large": ("stream-nt", lambda program: Stream(program, large=True, streamed=True)),
    "babelstream": ("omp-stream", BabelStream),
    "xmem": ("xmem", XMem),
    "bandwidthbenchmark": ("bwbench", lambda program: BandwidthBenchmark(program, streamed=False)),
    "bandwidthbenchmark-nt": ("bwbench-nt", lambda program: BandwidthBenchmark(program, streamed=True)),
    "likwid": ("likwid-bench", Likwid),
    "multiload": ("multiload", Multiload),
}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, (program, _) in TOOLS.items():
        parser.add_argument(f"--{name}", action="append", metavar="PATH", help=f"default: {program} on PATH")
    parser.add_argument("--multichase", metavar="PATH", help="default: multichase on PATH")
    parser.add_argument("--kernels", default=",".join(compare.CONTENDERS), help="of ours, joined by commas")
    parser.add_argument("--threads", default="1,2", help="thread counts, joined by commas")
    parser.add_argument("--rounds", type=int, default=compare.ROUNDS, help="fewer are a trial, and no verdict")
    parser.add_argument("--array", default="512MiB", help="size of each operand; STREAM's is fixed when it is built")
    parser.add_argument("--latency", action="store_true", help="compare latency with independent chases instead")
    parser.add_argument("--sizes", help="of --latency, joined by commas; default: two small ones and six")
    parser.add_argument("--json", metavar="FILE", help="all pairs and rows")
    return parser.parse_args()


def found(words: argparse.Namespace) -> Iterator[Peer]:
    for name, (program, make) in TOOLS.items():
        paths = getattr(words, name.replace("-", "_")) or [shutil.which(program)]
        for path in paths:
            if path is None or not Path(path).is_file():
                print(f"absent: {program}; name it with --{name} PATH", file=sys.stderr)
            else:
                yield make(Path(path).resolve())


def pairs(peers: list[Peer], kernels: list[str], task: Task, rounds: int) -> Iterator[compare.Pair]:
    """Yield every peer once per round; ours is next to it, first in one round and second in the next."""
    with ExitStack() as stack:
        stands = {pages: stack.enter_context(Stand(pages, task.threads)) for pages in {peer.pages for peer in peers}}
        for number in range(rounds):
            for peer in peers:
                for run in peer.runs:
                    wanted = [k for k in kernels if set(compare.CONTENDERS[k]) & set(run)]
                    if wanted:
                        yield from _neighbours(peer, run, wanted, task, stands[peer.pages], first=number % 2 == 0)


def _neighbours(
    peer: Peer, run: tuple[str, ...], wanted: list[str], task: Task, stand: Stand, first: bool
) -> Iterator[compare.Pair]:
    size = peer.array_bytes(task.array_bytes)
    try:
        ours = {kernel: stand.measure(kernel, size) for kernel in wanted} if first else {}
        readings = peer.run(run, task)
        ours = ours or {kernel: stand.measure(kernel, peer.array_bytes(size)) for kernel in wanted}
    except PeerError as error:
        print(f"left out: {peer.name}: {error}", file=sys.stderr)
        return
    for kernel in wanted:
        for reading in readings:
            if reading.kernel in compare.CONTENDERS[kernel]:
                yield compare.Pair(task.threads, peer.pages, ours[kernel], reading)


def bandwidth(words: argparse.Namespace) -> int:
    peers, kernels = list(found(words)), words.kernels.split(",")
    if unknown := set(kernels) - set(compare.CONTENDERS):
        raise SystemExit(f"unknown kernels {', '.join(sorted(unknown))}; known: {', '.join(compare.CONTENDERS)}")
    seen: list[compare.Pair] = []
    started = time.monotonic()
    for threads in map(int, words.threads.split(",")):
        task = Task(threads, parse_bytes(words.array))
        for pair in pairs(peers, kernels, task, words.rounds):
            seen.append(pair)
            print(
                f"{time.monotonic() - started:5.0f} s  load {os.getloadavg()[0]:4.1f}  {threads} x "
                f"{pair.ours.reading.kernel:15} {compare.ratio(pair):6.3f} of {pair.peer.tool} {pair.peer.variant}",
                file=sys.stderr,
            )
    table = compare.rows(seen)
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}\n\n{compare.markdown(table)}")
    if words.json:
        content = {"machine": machine(), "rows": compare.plain(table), "pairs": [asdict(pair) for pair in seen]}
        Path(words.json).write_text(json.dumps(content, indent=1))
    if any(row.verdict == compare.MISSED for row in table):
        return 1
    return 0 if table and all(row.verdict == compare.REACHED for row in table) else Exit.INCONCLUSIVE


def chases(words: argparse.Namespace) -> int:
    program = words.multichase or shutil.which("multichase")
    if program is None:
        print("absent: multichase; name it with --multichase PATH", file=sys.stderr)
    sizes = tuple(map(parse_bytes, words.sizes.split(","))) if words.sizes else latency.SMALL + latency.FOOTPRINTS
    table = []
    print(f"{machine()}; {words.rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    others = list(every(Path(program).resolve() if program else None))
    for row in latency.compare(others, words.rounds, sizes):
        print("\n".join([latency.head(row)] * (not table) + [latency.line(row)]), flush=True)
        table.append(row)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}")
    if words.json:
        content = {"machine": machine(), "rows": [asdict(row) for row in table]}
        Path(words.json).write_text(json.dumps(content, indent=1))
    if any(row.verdict == "apart" for row in table):
        return 1
    known = len(table) == len(latency.cases(sizes)) and all(row.verdict != "not known" for row in table)
    return 0 if known else Exit.INCONCLUSIVE


def main() -> int:
    words = options()
    return chases(words) if words.latency else bandwidth(words)


if __name__ == "__main__":
    sys.exit(main())
