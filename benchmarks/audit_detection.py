"""Share of planted faults that the audit finds, by importer and published table, and false alarms on clean data.

Each number of each example file and table is changed, one at a time: times or over ten, its sign, a digit lost, MiB
for MB, exchanged with its neighbour of the row, copied from the row above. A refusal by an importer counts as found. A
fault counts as found if a failure appears that the clean file does not have. Detection shows how densely the numbers of
a format constrain each other. Faults that are not found are physically possible, or no other number depends on them.

    .venv/bin/python benchmarks/audit_detection.py [--json] [--peak RATE] [--most N] [NAME ...]
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tierscope import reference
from tierscope.audit import examine
from tierscope.audit.limits import Limits, limited
from tierscope.audit.published import statements as published
from tierscope.audit.readings import statements as of_readings
from tierscope.errors import TierscopeError
from tierscope.imports import read
from tierscope.units import parse_rate

EXAMPLES = Path(__file__).parents[1] / "tests/data/imports"
PLAIN = "multichase-plain.txt"  # a number alone must be named
NUMBER = re.compile(r"(?<![\w.:\"-])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w:\"])")
MOST = 160  # most numbers of a file; of more, this number is drawn
SEED = 1995

Spots = list[tuple[int, int]]
Found = frozenset[tuple[str, str]]
Look = Callable[[str], tuple[object, Found] | None]
"""Text -> (what is read of it, the failures); None where it is refused."""


@dataclass
class Score:
    """`planted` and `found` by kind of fault."""

    clean: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        return sum(self.found.values()) / max(sum(self.planted.values()), 1)


def scaled(word: str, factor: float) -> str:
    """Return the scaled number with as many decimals as before, or digits where it has an exponent."""
    value = float(word) * factor
    if "e" in word.lower():
        return f"{value:.{len(word.lower().partition('e')[0].partition('.')[2])}e}"
    decimals = len(word.partition(".")[2])
    return f"{value:.{decimals}f}" if decimals else str(round(value))


def lost(word: str) -> str:
    """Return the number without its second digit."""
    digits = [i for i, letter in enumerate(word.lower().partition("e")[0]) if letter.isdigit()]
    return word[: digits[1]] + word[digits[1] + 1 :] if len(digits) > 1 else word


ALONE: dict[str, Callable[[str], str]] = {
    "x10": lambda word: scaled(word, 10),
    "/10": lambda word: scaled(word, 0.1),
    "sign": lambda word: f"-{word}",
    "digit lost": lost,
    "MiB for MB": lambda word: scaled(word, 1e6 / 2**20),
}


def faults(text: str, spots: Spots, above: list[int | None], place: int) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of each fault of one number that changes it; above: of each number, that in the row before."""
    start, end = spots[place]
    word = text[start:end]
    for kind, change in ALONE.items():
        if float(new := change(word)) != float(word):
            yield kind, text[:start] + new + text[end:]
    if place + 1 < len(spots) and "\n" not in text[end : spots[place + 1][0]]:
        following, after = spots[place + 1]
        if float(text[following:after]) != float(word):
            yield "exchanged", text[:start] + text[following:after] + text[end:following] + word + text[after:]
    up = above[place]
    if up is not None and float(text[slice(*spots[up])]) != float(word):
        yield "copied", text[:start] + text[slice(*spots[up])] + text[end:]


def places(text: str, begin: int) -> tuple[Spots, list[int | None]]:
    """Return the numbers from `begin` on, and for each the number at the same place of the line above."""
    spots: Spots = []
    above: list[int | None] = []
    before: list[int] = []
    position = 0
    for line in text.splitlines(keepends=True):
        row: list[int] = []
        for match in NUMBER.finditer(line) if position >= begin else ():
            above.append(before[len(row)] if len(row) < len(before) else None)
            row.append(len(spots))
            spots.append((position + match.start(), position + match.end()))
        before, position = row, position + len(line)
    return spots, above


def score(text: str, begin: int, look: Look, most: int) -> Score:
    """Return the score; numbers that have no effect on what is read are left out."""
    clean = look(text)
    if clean is None:
        raise SystemExit("a clean file is refused")
    spots, above = places(text, begin)
    result = Score(clean=len(clean[1]))
    for place in sorted(Random(SEED).sample(range(len(spots)), min(len(spots), most))):
        for kind, changed in faults(text, spots, above, place):
            seen = look(changed)
            if seen is None or seen[0] != clean[0]:
                result.planted[kind] += 1
                result.found[kind] += seen is None or bool(seen[1] - clean[1])
    return result


def importer(name: str, limits: Limits) -> Look:
    """Return the reader of an importer's example: what is read of a file, and which identities it breaks."""
    path = Path(tempfile.mkdtemp()) / name

    def look(text: str) -> tuple[object, Found] | None:
        path.write_text(text, encoding="utf-8")
        try:
            readings = read(path, "multichase" if name == PLAIN else "")[1].readings
        except TierscopeError:
            return None
        failures = examine(limited(of_readings(readings), limits)).failures
        return readings, frozenset((one.identity, one.label) for one in failures)

    return look


def table(name: str) -> Look:
    """Return the same for a published table."""

    def look(text: str) -> tuple[object, Found] | None:
        try:
            rows = published(reference.parse(name, text))
        except (TierscopeError, ValueError):
            return None
        return text, frozenset((one.identity, one.label) for one in examine(rows).failures)

    return look


def scores(limits: Limits, most: int, names: list[str]) -> Iterator[tuple[str, Score]]:
    for path in (path for path in sorted(EXAMPLES.iterdir()) if path.name in names or not names):
        yield path.name, score(path.read_text(encoding="utf-8"), 0, importer(path.name, limits), most)
    for name in (name for name in reference.names() if name in names or not names):
        text = (reference.FOLDER / f"{name}.csv").read_text(encoding="utf-8")
        rows = re.search(r"^[^#].*\n", text, re.MULTILINE)
        yield name, score(text, rows.end() if rows else 0, table(name), most)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="rates by file and kind")
    parser.add_argument("--peak", type=parse_rate, help="theoretical peak, as a user would give it")
    parser.add_argument("--most", type=int, default=MOST, help="numbers of a file that are changed, drawn at random")
    parser.add_argument("names", nargs="*", help="files and tables; default: all")
    chosen = parser.parse_args()
    rows = []
    for name, one in scores(Limits(peak_bytes_per_s=chosen.peak), chosen.most, chosen.names):
        kinds = {kind: f"{one.found[kind]}/{one.planted[kind]}" for kind in sorted(one.planted)}
        rows.append({"file": name, "failures when clean": one.clean, "rate": round(one.rate, 3), **kinds})
        if not chosen.json:
            told = "  ".join(f"{kind} {share}" for kind, share in kinds.items())
            sys.stdout.write(f"{name:40}{100 * one.rate:5.0f} %  clean {one.clean:2}  {told}\n")
            sys.stdout.flush()
    if chosen.json:
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
