"""This machine and each tier as simulated machines: caches, TLBs and core are those of here, the memory changes.

    clock of the core    as `run core` found it, or latency of the nearest cache / its cycles    [s]
    read of a tier       given latency - last cache - translation                                [s]

A latency that is given is that of one dependent load from the core, as `tierscope run latency` measures it. The
nearest cache takes 4 cycles on AMD's cores since Zen and on most of ARM's, and 5 on Intel's since Sunny Cove; Intel's
before take 4 or 5. Every core of these years has a prefetcher of strides; it is taken to fill the second cache. Cores
that fetch the next line, or nothing, are among the others that the machine may have (`cores`).
With a run of `core`, the own core has the parameters that it found, and the kind of prefetcher; a width or a buffer
that it found only in part has the documented number (`simulated.core`). It has all readings of the front end
(`front_end`); the likely one is that it runs ahead. The others are between a small and a large core: of a parameter
that was found these have the ends of its interval, of any other those of SMALL and LARGE.
Blind to: what no run here measures. A run of `core` does not find all of a prefetcher, so its other kinds stay among
the others.
Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2022 (latency of the nearest cache).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tierscope.errors import UsageError
from tierscope.files import is_there
from tierscope.models.device import Device
from tierscope.plans.simulation import PREFIX
from tierscope.predict.memory import memory
from tierscope.predict.program.cores import cores, parameters, spread
from tierscope.predict.program.front_end import FrontEnd
from tierscope.predict.program.grid import axes
from tierscope.predict.program.hardly import of_line
from tierscope.predict.program.keeps import keep_word, keeps_of, kept_note
from tierscope.predict.program.machine_notes import notes_of
from tierscope.predict.program.place import Here, Place
from tierscope.record.result import Run
from tierscope.run.planned import catalogue
from tierscope.simulated.core import ends_of, settings, spread_of
from tierscope.simulated.fetched import fetched
from tierscope.simulated.measured import Measured, measured, memory_read_s
from tierscope.simulated.preset import text
from tierscope.simulated.trace import LARGE, SMALL
from tierscope.suites.core.parameter import KNOWN, NONE
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.table import Core
from tierscope.suites.tlb.table_levels import TlbLevels, TlbLevelsRow
from tierscope.units import KiB, MiB

SMALL_PAGE, LARGE_PAGE = 4 * KiB, 2 * MiB
CYCLES = {"GenuineIntel": 5}  # of the nearest cache, by vendor
OTHER_CYCLES = 4
PREFETCHERS = (",cache.1.prefetch=stride", ",cache.1.prefetch=next-line", "")
MUCH_SLOWER = 5.0  # times the latency here: marked
WALK = "walk"  # the section of page walks, which a file has only if it has TLBs
OURS = ("read", "write", "bandwidth")


def places(
    runs: Sequence[Run], on: Sequence[str], folder: Path, page_bytes: int, *, contours: bool = False,
    keep_s: float | None = None,
) -> Here:  # fmt: skip
    """Write the files of all machines to `folder`. UsageError for a bad word.

    page_bytes: of programs here; contours: the grid is replayed, too. keep_s: for which the last cache keeps a line in
    the own core; None: the middle of what was measured.
    """
    found = measured(runs)
    rows = [row for run in runs for row in TlbLevels().rows(run)]
    whole = folder / "memory.toml"
    probed = _probed(runs)
    whole.write_text(text(found, spread=spread_of(probed)))
    core, prefetchers = _core_words(found, probed)
    front_end = FrontEnd(fetched(probed))
    sizes = cores(*range_of(probed), prefetchers, front_end)
    if found.kept:
        times = spread(found.kept.low_s, found.kept.high_s)
        sizes = tuple(one + keep_word(found, time_s) for one, time_s in zip(sizes, times, strict=True))
    small, large = ends_of(probed)
    sizes = (*sizes[:-2], sizes[-2] + small, sizes[-1] + large)
    likely_keep = keep_word(found, keep_s) if keep_s else ""
    files = {page: _with_walks(_without_memory(found, rows, page), probed) for page in (SMALL_PAGE, LARGE_PAGE)}

    def place(name: str, memories: str, more: str = "", notes: tuple[str, ...] = ()) -> Place:
        words = {}
        for page, content in files.items():
            path = folder / f"{len(list(folder.iterdir()))}.toml"
            path.write_text(f'memories = "{memories}"\n{content}')
            own = [prefetchers[0] + reading + likely_keep for reading in (front_end.eager, *front_end.others)]
            words[page] = [f"{path}{core}{one}{more}" for one in (*own, *sizes)]
        translated = all("[[tlb]]" in content for content in files.values())
        large = words[LARGE_PAGE][0] if translated and page_bytes == SMALL_PAGE else ""
        likely, *others = words[page_bytes]
        return Place(
            name, likely, large, tuple(others), notes, readings=len(front_end.others), front_end=front_end
        )  # fmt: skip

    last = found.caches[-1]
    notes = notes_of(found, files[page_bytes], probed) + ((kept_note(keep_s),) if keep_s else ())
    own = place("this machine", str(whole))
    tiers = tuple(_stated(place(name, *_tier(name, found, whole)), found) for name in on)
    instant = place(
        "no memory", f"{whole},memory.memory.read=0ns,memory.memory.write=0ns,memory.memory.bandwidth=10TB/s"
    )
    loads = [(1 + sign * found.memory_share) * found.memory_s for sign in (-1, 1) if found.memory_share > 0]
    ends = [place("an end", f"{whole},{_latencies(found, load_s, load_s)}").word for load_s in loads]
    stated = [(one.over, one.bandwidth_over) for one in tiers if one.over and one.bandwidth_over]
    grid = _grid(stated, found) if contours else []
    cells = tuple(_stated(place(word, *_tier(word, found, whole)), found) for word in grid)
    return Here(
        own, tiers, instant.word, notes, str(whole), cells, found.memory_s,
        found.bandwidth_bytes_per_s or None, tuple(ends), last.size_bytes / last.line_bytes,
        keeps_of(found, own.word) if keep_s is None else (),
    )  # fmt: skip


def _on_the_way(found: Measured) -> float:
    """Return the seconds of a load from the core that caches and translation take before the memory."""
    return found.memory_s - memory_read_s(found)


def _latencies(found: Measured, read_s: float, write_s: float) -> str:
    """Return the words of a memory behind the caches here, for seconds of a load and of a store from the core."""
    read, write = (max(time - _on_the_way(found), 0.0) * 1e9 for time in (read_s, write_s))
    return f"memory.memory.read={read:.6g}ns,memory.memory.write={write:.6g}ns"


def _grid(stated: Sequence[tuple[float, float]], found: Measured) -> list[str]:
    """Return the words of the memories of the contours; none where the bandwidth here is not known."""
    if not found.bandwidth_bytes_per_s:
        return []
    latencies, bandwidths = axes(stated)
    behind = _on_the_way(found)
    return [
        f"read={over * found.memory_s * 1e9:.6g}ns,bandwidth={width * found.bandwidth_bytes_per_s / 1e9:.6g}GB/s"
        for over in latencies
        if over * found.memory_s > behind
        for width in bandwidths
    ]


def _stated(place: Place, found: Measured) -> Place:
    """Return the place with its latency and bandwidth over those here; a simulated machine states none."""
    if _is_simulated(place.name.split(",", 1)[0]):
        return place
    asked, given = _asked(place.name, found.memory_s)
    rate, here = _rate(asked, given, found), found.bandwidth_bytes_per_s
    over = asked.read_latency_s / found.memory_s
    width = rate / here if rate and here else None
    as_here = _is_as_here(place.name, given)
    each = of_line(
        (asked.read_latency_s, asked.write_latency_s), found.memory_s, 0.0 if as_here else found.memory_share,
        (rate, here or None), found.machine.line_bytes(),
    )  # fmt: skip
    return replace(place, over=over, bandwidth_over=width, each=each, as_here=as_here)


def refuse_unknown(on: Sequence[str]) -> None:
    """Raise UsageError for a word that names no memory, before anything is measured for it."""
    for word in on:
        if not _is_simulated(word.split(",", 1)[0]):
            _asked(word, 1e-7)  # any latency: which words are known does not depend on it


def of_model(word: str, on: Sequence[str]) -> Here:
    """Return this machine as the user describes it, a simulated machine; tiers are others of this kind."""
    first = word.split(",", 1)[0]
    if not _is_simulated(first):
        raise UsageError(f"--from {word}: name runs of this machine, or a simulated machine that stands for it")
    others = cores(*range_of(()), ("",))

    def place(name: str) -> Place:
        return Place(name, name, others=tuple(name + other for other in others))

    tiers = []
    for name in on:
        if not _is_simulated(name.split(",", 1)[0]):
            raise UsageError(f"--on {name}: with --from {word}, tiers are simulated machines, too, such as "
                             f"--on {first},memory.NAME.read=350ns")  # fmt: skip
        tiers.append(place(name))
    return Here(place(word), tuple(tiers), "", ("this machine is the one that --from describes",), word)


def is_model(words: Sequence[str]) -> bool:
    """Return whether --from names a simulated machine."""
    return len(words) == 1 and _is_simulated(words[0].split(",", 1)[0])


def _is_simulated(name: str) -> bool:
    name = name.removeprefix(PREFIX)
    return name.endswith(".toml") or any(name == one.name for one in catalogue(pools=False).simulated)


def _probed(runs: Sequence[Run]) -> list[CoreRow]:
    """Return the parameters of the core, of the first run that has some; none without a run of `core`."""
    for run in runs:
        if rows := Core().rows(run):
            return [row for row in rows if row.target == rows[0].target]
    return []


def _core_words(found: Measured, probed: Sequence[CoreRow]) -> tuple[str, tuple[str, ...]]:
    """Return the words of the own core, and those of prefetchers: that of the own core first."""
    vendor = found.machine.identity.family.split(":")[0]
    cycle = found.shapes[0].latency_s / CYCLES.get(vendor, OTHER_CYCLES)
    words = {"cpu.cycle": f"{cycle * 1e9:.4g}ns"}
    words |= {f"{one.section}.{one.key}": one.value.strip('"') for one in settings(probed) if one.section != WALK}
    return _joined(words), _prefetchers(found, probed)


def _prefetchers(found: Measured, probed: Sequence[CoreRow]) -> tuple[str, ...]:
    """Return the words of prefetchers, which fill the second cache; the likely kind first."""
    return kinds(probed) if len(found.shapes) > 1 else ("",)


def kinds(probed: Sequence[CoreRow]) -> tuple[str, ...]:
    """Return the words of all kinds, the most likely one first: strides, unless a run of `core` found none."""
    answers = {(row.parameter, row.level): row.answer for row in probed}
    strides, next_line, nothing = PREFETCHERS
    if answers.get(("visits that train", "up")) != NONE:
        return PREFETCHERS
    fetched = KNOWN in (answers.get(("next line", "up")), answers.get(("next line", "pair")))
    return (next_line, nothing, strides) if fetched else (nothing, next_line, strides)


def range_of(probed: Sequence[CoreRow]) -> tuple[dict[str, float], dict[str, float]]:
    """Return a small and a large core: the ends of what was found, else those of SMALL and LARGE."""
    small, large = map(parameters, (SMALL, LARGE))
    for one in settings(probed):
        key = f"{one.section}.{one.key}"
        if key in small:
            small[key] = float(one.weakest) if one.weakest else min(float(one.value), small[key])
            large[key] = float(one.strongest) if one.strongest else max(float(one.value), large[key])
    return small, large


def _joined(words: Mapping[str, str]) -> str:
    return "".join(f",{key}={value}" for key, value in words.items())


def _without_memory(found: Measured, rows: Sequence[TlbLevelsRow], page: int) -> str:
    levels = [row for row in rows if row.page_bytes == page]
    return text(replace(found, page_bytes=page, tlb=levels), memory=False)


def _with_walks(content: str, probed: Sequence[CoreRow]) -> str:
    """Return the file with the number of page walks at the same time, where it has a page walk and that is known."""
    known = [f"{one.key} = {one.value}  # {one.note}" for one in settings(probed) if one.section == WALK]
    return content.replace(f"[{WALK}]\n", "\n".join([f"[{WALK}]", *known, ""]))


def _tier(word: str, found: Measured, whole: Path) -> tuple[str, str, tuple[str, ...]]:
    """Return the machine whose memories it takes, its `memory=NAME`, and notes."""
    first, *rest = word.split(",")
    if _is_simulated(first):
        chosen = [part for part in rest if part.startswith("memory=")]
        others = [part for part in rest if not part.startswith("memory=")]
        return ",".join([first.removeprefix(PREFIX), *others]), "".join(f",{part}" for part in chosen), ()
    asked, given = _asked(word, found.memory_s)
    behind = _on_the_way(found)
    if asked.read_latency_s <= behind:
        raise UsageError(f"--on {word}: {asked.read_latency_s * 1e9:.3g} ns is less than {behind * 1e9:.3g} ns, which "
                         "the caches before a memory take here; give the latency of a load from the core")  # fmt: skip
    far = asked.read_latency_s > MUCH_SLOWER * found.memory_s
    notes = (
        f"{word} has over {MUCH_SLOWER:.0f}x the latency of this machine's memory, where no prediction was checked",
    )
    return f"{whole},{_memory_words(asked, given, found)}", "", notes if far else ()


def _asked(word: str, here_s: float) -> tuple[Device, list[str]]:
    """Return the memory that words ask for, and the keys that they give; UsageError for a key of another thing.

    here_s: latency of the memory here, for words without one.
    """
    given = [part.partition("=")[0] for part in word.split(",") if "=" in part and not is_there(part)]
    if spare := [key for key in given if key not in OURS]:
        raise UsageError(f"--on {word}: {spare[0]}= is not of a memory; caches and core stay those of this machine, so "
                         f"give {', '.join(f'{key}=' for key in OURS)} alone")  # fmt: skip
    if _is_as_here(word, given):
        word = f"read={here_s * 1e9:.6g}ns,{word}"
    return memory(word).device, given


def _is_as_here(word: str, given: Sequence[str]) -> bool:
    """Return whether words name no latency, so that the tier has that of the memory here; given: their keys."""
    return bool(given) and len(given) == len(word.split(",")) and "read" not in given


def _memory_words(asked: Device, given: Sequence[str], found: Measured) -> str:
    words = _latencies(found, asked.read_latency_s, asked.write_latency_s)
    rate = _rate(asked, given, found)
    return f"{words},memory.memory.bandwidth={rate / 1e9:.6g}GB/s" if rate else words


def _rate(asked: Device, given: Sequence[str], found: Measured) -> float | None:
    """Return the bandwidth of a tier: that of this machine where the words leave it open; None: not known."""
    return asked.bandwidth_bytes_per_s if not given or "bandwidth" in given else found.bandwidth_bytes_per_s or None
