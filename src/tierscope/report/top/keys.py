"""The key numbers: at most six, each with its interval, the band of similar machines, and a word of judgement."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tierscope.compare.comparison import point
from tierscope.compare.measures import measures
from tierscope.draw.words import load_name, threads_name
from tierscope.normal.band import Beside, Normal
from tierscope.report.content import Content
from tierscope.report.picks import Load, Speed, Wait
from tierscope.report.top.brief import short_seconds
from tierscope.report.top.memory import Memory
from tierscope.report.top.parts import BAD, GOOD, NOTE, Key, Point
from tierscope.report.top.rough import ranges
from tierscope.report.top.usual import SMALL, reported, small_cache
from tierscope.tables import Insight, flat
from tierscope.units import show_bytes, show_three

MOST = 6
UNSURE = "wider than asked for"
MOST_OF_TABLE = 4  # of one question, where a run answers several


def keys(content: Content, found: Memory | None, usual: Normal | None, *, peak: bool) -> tuple[Key, ...]:
    """Return those of memory; of a run without them, what each table answers, in the order of a report.

    Numbers of memory that are wider than asked for come last, as ranges.

    peak: whether the theoretical peak is that of the target.
    """
    numbers = list(_memory(content, found, peak) if found else _asked(content))
    return tuple(_judged(key, usual) for key in numbers[:MOST])


def _memory(content: Content, found: Memory, peak: bool) -> Iterator[Key]:
    cpus = len(content.run.result.machine.cpus())
    if found.read:
        yield _speed(found.read, f"{found.read.row.kernel}, {_team(found.read.row.threads, cpus)}", peak)
    if found.copy and found.copy.row is not (found.read.row if found.read else None):
        instructions = "non-temporal stores" if found.copy.row.store == "nt" else found.copy.row.isa
        yield _speed(found.copy, f"copy, {instructions}, {_team(found.copy.row.threads, cpus)}", peak)
    if found.idle:
        yield _wait(found.idle, "idle latency")
    if found.walked:
        yield _wait(found.walked, "idle latency, small pages")
    yield from _cache(content)
    if found.load:
        yield _load(found.load, "latency at the highest load" if found.fullest else "latency at the highest sure load")
    for name, interval, unit, _, about in ranges(content, found):
        middle, low, high = interval.middle, interval.low, interval.high
        yield Key(name, middle, low, high, unit, about, verdict=UNSURE, mark=NOTE, rough=True)


def _team(threads: int, cpus: int) -> str:
    return "all CPUs" if threads == cpus > 1 else threads_name(threads)


def _speed(speed: Speed, name: str, peak: bool) -> Key:
    row, bandwidth = speed
    share = row.peak_share if peak else None
    about = f"{100 * share:.0f} % of the theoretical peak" if share is not None and 0 < share <= 1 else ""
    at = Point("stream", row)
    return Key(name, bandwidth.middle, bandwidth.low, bandwidth.high, "B/s", about, point=at)


def _wait(wait: Wait, name: str) -> Key:
    row, latency = wait
    pages = f", {show_bytes(row.page_bytes)} pages" if row.page_bytes else ""
    about = f"{show_bytes(row.footprint_bytes)}{pages}"
    return Key(name, latency.middle, latency.low, latency.high, "s", about, point=Point("latency", row))


def _cache(content: Content) -> Iterator[Key]:
    cache = next((one for one in content.conclusions if one.name == "effective_cache"), None)
    if cache is None or cache.value is None:
        return
    size = reported(content)
    about = f"of {show_bytes(size)} reported" if size else "the size that the machine reports is not known"
    verdict, mark = _judge_cache(content, cache, size)
    yield Key("last-level cache", cache.value, cache.low, cache.high, "B", about, verdict=verdict, mark=mark)


def _judge_cache(content: Content, cache: Insight, size: int) -> tuple[str, str]:
    """Return (verdict, mark): small, about the size that is reported, or neither for sure."""
    if small_cache(content):
        return "small", NOTE
    low, high = cache.low or 0.0, cache.high or 0.0
    return ("as reported", GOOD) if size and low >= SMALL * size and high <= size / SMALL else ("", "")


def _load(load: Load, name: str) -> Key:
    row, bandwidth, latency = load
    without = f"; {short_seconds(row.idle.middle)} without this load" if row.idle else ""
    about = f"at {show_three(bandwidth.middle, 'B/s')}, {load_name(row.read_share, row.store)}{without}"
    at = Point("loaded_latency", row)
    return Key(name, latency.middle, latency.low, latency.high, "s", about, point=at)


def _asked(content: Content) -> Iterator[Key]:
    """Yield what the other tables answer: of each kind of insight the one with the largest number."""
    for section in content.sections.values():
        asked = section.asked
        if asked and section.sure:
            sure = [one for one in section.insights if one.conclusive and one.value is not None]
            kinds = {name: [one for one in sure if one.name.split()[0] == name] for name in asked.keys}
            found = [_largest(title, kinds[name]) for name, title in asked.keys.items() if kinds[name]]
            yield from found[:MOST_OF_TABLE]


def _largest(title: str, insights: Iterable[Insight]) -> Key:
    most = max(insights, key=lambda one: one.value or 0.0)
    about = most.name.partition(" ")[2].replace("_", " ")
    if "{}" in title:
        title, about = title.format(about), ""
    if most.kind == "count" and most.whole:
        about = f"of {most.whole:g}"
    return Key(title, most.value or 0.0, most.low, most.high, most.unit, about, most.kind)


def _judged(key: Key, usual: Normal | None) -> Key:
    """Return the number with the band of similar machines, where there is one for this point."""
    row = _beside(key, usual.rows) if usual else None
    if usual is None or row is None or row.band is None:
        return key
    far = row.far(len(usual.judged))
    better = row.verdict in ("low", "high") and not row.worse
    mark = BAD if far else NOTE if row.worse else GOOD if better or row.verdict == "normal" else ""
    return replace(key, band=row.band, verdict=f"{row.verdict}: better" if better else row.verdict, mark=mark)


def _beside(key: Key, rows: Sequence[Beside]) -> Beside | None:
    """Return the point of a key number among those that were compared, by measure and the words of the point."""
    if key.point is None:
        return None
    measure = next(name for name, one in measures().items() if one.table.name == key.point.table)
    words = point(key.point.table, flat(key.point.row))
    return next((row for row in rows if (row.measure, row.point) == (measure, words)), None)
