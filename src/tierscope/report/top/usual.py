"""Is it normal: the numbers of a run among those of similar machines, and its last-level cache as reported.

A comparison with the machine's own reports needs no reference set: a last-level cache that serves less than it has is
small on any machine. A run cannot show why it is small: neighbours, a quota, and tables that compete for it look alike.
"""

from msgspec.structs import replace

from tierscope.errors import TierscopeError
from tierscope.normal.band import BLIND, Normal, normal
from tierscope.normal.store import known
from tierscope.normal.text import sentence
from tierscope.report.content import Content
from tierscope.report.top.parts import BAD, GOOD, NOTE, Answer
from tierscope.tables import Insight
from tierscope.units import show_bytes

QUESTION = "Is it normal?"
SMALL = 0.75  # of the reported capacity; staircases of own machines come to 0.8 to 1.1 of it


def usual(content: Content, found: Normal | None) -> Answer:
    """Return whether the numbers are usual for such a machine.

    found: None of a run that is not of real memory, or where the reference set cannot be read.
    """
    cache = small_cache(content)
    short, text, mark = _judged(content, found)
    if cache and cache.value is not None:
        short = f"{short}; the last-level cache is small" if mark != BAD else short
        text = f"{_cache_text(cache.value, content)} {text}"
        mark = mark if mark == BAD else NOTE
    return Answer(QUESTION, short, text.strip(), mark)


def among(content: Content) -> Normal | None:
    """Return the numbers of a run of real memory among those of similar machines; None where that cannot be asked."""
    if content.run.result.origin != "real":
        return None
    try:
        return normal(content.run, known())
    except TierscopeError:
        return None  # `tierscope normal` reports what is wrong with the set; the page of a run does not fail by it


def _judged(content: Content, found: Normal | None) -> tuple[str, str, str]:
    """Return (short, text, mark)."""
    if content.run.result.origin == "imported":
        return "Not asked: the file does not state which machine it is", "", ""
    if content.run.result.origin != "real":
        return "Not asked: this memory is simulated or emulated", "", ""
    if found is None:
        return "Not known: the reference set cannot be read", "`tierscope normal` shows the reason.", ""
    if not found.machines:
        return "Not known: no similar machine", _hint(sentence(found)), ""
    if not found.judged:
        return "Not known", _hint(sentence(found)), ""
    if found.odd:
        return f"No: {len(found.odd)} of {len(found.judged)} numbers are unusual", _hint(sentence(found)), BAD
    if found.detectable > BLIND:
        return "Not known: similar machines differ too much", _hint(sentence(found)), ""
    short = "Yes, but slow" if found.slow else f"Yes, compared with {found.machines} similar machines"
    return short, _hint(sentence(found)), NOTE if found.slow else GOOD


def _hint(text: str) -> str:
    """Return the sentence of `tierscope normal` without its verdict, which the short answer has."""
    for begin in ("Not known: no similar machine is known. ", "Not known: ", "No: ", "Yes: ", "Yes, but slow: "):
        if text.startswith(begin):
            rest = text.removeprefix(begin).replace("`", "")
            return rest[:1].upper() + rest[1:]
    return text


def small_cache(content: Content) -> Insight | None:
    """Return the effective last-level cache, if the whole of its interval is less than reported."""
    found = next((one for one in content.conclusions if one.name == "effective_cache"), None)
    size = reported(content)
    if found is None or found.high is None or not size or found.high > SMALL * size:
        return None
    return replace(found, whole=float(size))


def reported(content: Content) -> int:
    """Return the capacity of a last-level cache as the system lists it, in bytes; 0 if it does not.

    If several differ, return the smallest: which CPU chased is not asked, and a wrong "small" is worse than none.
    """
    caches = [one for one in content.run.result.machine.identity.caches if one.kind != "Instruction"]
    last = max((one.level for one in caches), default=0)
    return min((one.size_bytes for one in caches if one.level == last), default=0)


def _cache_text(cache_bytes: float, content: Content) -> str:
    part = f"{show_bytes(cache_bytes)} of {show_bytes(reported(content))}"
    return f"The last-level cache serves {part}; what takes the rest is not known."
