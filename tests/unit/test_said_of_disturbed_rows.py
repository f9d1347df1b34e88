"""Sentences, headline, key numbers and terminal with rows that were disturbed at random, in every table."""

import copy
import random
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import read_once
from made_probed import probed_run
from made_quick import made_run
from made_storage import storage_run
from tierscope.audit import examine
from tierscope.audit.own import _said
from tierscope.draw.forms import form
from tierscope.record.result import Run
from tierscope.report.content import Content, Section, gather
from tierscope.report.top.parts import Top
from tierscope.report.top.shown import span_of, value_of
from tierscope.report.top.top import top
from tierscope.tables import Flat, Insight, Row, flat, tables
from tierscope.tables.rows import Field, fields, unflat
from tierscope.units import show_rate, show_seconds

MAKES: dict[str, Callable[[Path], Run]] = {
    "quick": made_run,
    "probed": probed_run,
    "storage": lambda folder: storage_run(folder, "size=64MiB", "preset=latency"),
}
SEEDS = range(12)
FEW = 6  # of them are in the first tier: the fewest with each share of disturbed rows
FITTED = ("latency", "tlb", "tlb_levels", "series")
"""Levels are fitted to all points of a curve, each weighed by its error: there no sentence is of one row."""

ABSENT = re.compile(r"\b(nan|inf|None)\b")
NOTHING = re.compile(r"(?<![\d.])(0(?:\.0+)?(?: times|x(?= the\b| idle\b)))\b")
WIDE = re.compile(r"(?:±|\+-) ?(\d+(?:\.\d+)?) ?%")
PERCENT = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?) ?%(?! reads)")
TIMES = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]\d+)?)(?: times (?!one thread)|x\b)")
PART = re.compile(r"\b(\d+) of (\d+)\b")
LABELS = ("less than 2 %",)  # of a sentence, no number of the run


Cases = list[tuple[str, Content]]


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Content]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        read_once.samples(monkeypatch)
        return {name: gather(make(tmp_path_factory.mktemp(name))) for name, make in MAKES.items()}


def numbers(section: Section) -> list[str]:
    """Keys of measured numbers: those with bounds, and shares; not what was asked for."""
    names = [column.name for column in section.columns]
    bounded = [name for name in names if name.endswith(("_low", "_high"))]
    stems = tuple(name.removesuffix("_low") for name in bounded if name.endswith("_low"))
    measured = [name for name in names if name.startswith(stems) and stems and name not in bounded]
    units = {column.name: column.unit for column in section.columns}
    return [name for name in (*measured, *bounded) if units[name] in ("B/s", "s", "1/s", "1", "B")]


def fields_of(section: Section) -> dict[str, Field]:
    """Return the field of each column; the blocks over time are flat rows, which have none."""
    rows = [row for row in section.typed[:1] if isinstance(row, Row)]
    return {column.name: field for row in rows for field in fields(type(row)) for column in field.columns}


def typed(section: Section, changed: list[Flat]) -> list[Any]:
    """Return rows of the kind of the section's with these values, no number above the most that its unit can have."""
    known = fields_of(section)
    for row in changed:
        for key, field in known.items():
            if isinstance(value := row[key], float):
                row[key] = min(value, field.unit.most)
    return [
        unflat(type(like), row) if isinstance(like, Row) else row
        for like, row in zip(section.typed, changed, strict=True)
    ]


def spoilt(section: Section, rng: random.Random, share: float) -> list[Any]:
    """Some rows without a number, with zeros, or with numbers that are far off and intervals wider than they."""
    rows, known = [dict(row) for row in section.rows], fields_of(section)
    for row in rows:
        if rng.random() > share:
            continue
        way, factor = rng.choice(("missing", "zero", "wild", "wild", "doubtful")), rng.choice((1e-5, 0.01, 12.0, 700.0))
        for key in numbers(section):
            value = row.get(key)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if way == "missing" and (key not in known or known[key].optional):
                row[key] = None
            elif way == "zero":
                row[key] = 0.0 if isinstance(value, float) else 0
            elif way == "wild" and isinstance(value, float):
                row[key] = 0.0 if key.endswith("_low") else value * factor * (4.0 if key.endswith("_high") else 1.0)
        if "conclusive" in row:
            row["conclusive"], row["reasons"] = False, "interval wider than its own number, 2 % were asked for"
    return typed(section, rows)


def told(content: Content, changed: dict[str, list[Any]]) -> Content:
    """The content of a run that has these rows."""
    sections = {
        name: Section(
            name, one.title, one.columns,
            [flat(row) if isinstance(row, Row) else row for row in changed[name]], changed[name],
            tables[name].insights(content.run, changed[name]) if name in tables else [], (),
        )
        for name, one in content.sections.items()
    }  # fmt: skip
    return Content(content.run, sections, (), examine([]))


def disturbed(content: Content, seed: int) -> Content:
    rng = random.Random(seed)
    share = rng.choice((0.1, 0.4, 0.7, 1.0))
    return told(content, {name: spoilt(one, rng, share) for name, one in content.sections.items()})


@pytest.fixture(
    scope="module", params=[SEEDS[:FEW], pytest.param(SEEDS[FEW:], marks=pytest.mark.slow)], ids=["few", "others"]
)
def cases(request: pytest.FixtureRequest, contents: dict[str, Content]) -> Cases:
    return [(f"{name}, seed {seed}", disturbed(one, seed)) for name, one in contents.items() for seed in request.param]


def texts(said: Top) -> list[str]:
    """All that the top states; the name of a faster, inconclusive row is not a number."""
    lines = [line for line in said.lines if not line.endswith("measured higher, but is inconclusive.")]
    answers = [text for answer in said.answers for text in (answer.short, answer.text)]
    keys = [f"{key.name} {value_of(key)} {span_of(key)} {key.about}" for key in said.keys]
    return [said.lead, *lines, *answers, *keys, *(step.text for step in said.steps)]


def faults(text: str) -> list[str]:
    found = [f"{word!r} in {text!r}" for pattern in (ABSENT, NOTHING) for word in pattern.findall(text)]
    found += [f"+-{half} % in {text!r}" for half in WIDE.findall(text) if float(half) >= 100]
    return found + [f"{part} of {of} in {text!r}" for part, of in PART.findall(text) if int(part) > int(of)]


def agrees(word: str, value: float) -> bool:
    """Whether a printed number is this one, rounded; a percentage over one may be what a ratio has above 1."""
    digits = word.partition("e")[0]
    step = 10.0 ** -len(digits.partition(".")[2]) * max(abs(float(word)) / max(abs(float(digits)), 1e-300), 0)
    return abs(float(word) - value) <= 0.501 * step + 1e-6 * abs(value)


def unnamed(insight: Insight) -> list[str]:
    """Percentages and ratios of a text that are none of the insight's numbers."""
    text = insight.text
    for label in LABELS:
        text = text.replace(label, "")
    values = [end for one in insight.numbers for end in (one.value, one.low, one.high) if end is not None]
    shares = [100 * value for value in values] + [100 * (value - 1) for value in values]
    found = [word for word in PERCENT.findall(text) if not any(agrees(word, value) for value in shares)]
    return found + [word for word in TIMES.findall(text) if not any(agrees(word, value) for value in values)]


def test_every_number_of_a_sentence_is_one_that_the_audit_checks(cases: Cases) -> None:
    wrong = [
        f"{name}: {left} in {insight.text!r}"
        for name, content in cases
        for section in content.sections.values()
        for insight in section.insights
        if (left := unnamed(insight))
    ]
    assert wrong == []


def test_no_sentence_has_an_impossible_value(cases: Cases) -> None:
    wrong = []
    for name, content in cases:
        for section in content.sections.values():
            statements = [one for insight in section.insights for one in _said(section.name, insight)]
            failures = [one for one in examine(statements).failures if one.identity == "sentences"]
            wrong += [f"{name}, {section.name}: {one.text}" for one in failures]
            wrong += [f"{name}, {section.name}: {fault}" for said in section.insights for fault in faults(said.text)]
    assert wrong == []


def test_headline_and_tiles_have_possible_values_only(cases: Cases) -> None:
    wrong = []
    for name, content in cases:
        said = top(content)
        wrong += [f"{name}: {fault}" for text in texts(said) for fault in faults(text)]
        wrong += [f"{name}: {key}" for key in said.keys if key.kind == "share" and not 0 <= key.value <= 1]
    assert wrong == []


def test_no_number_of_an_inconclusive_row_is_in_headline_or_tiles(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inconclusive rows with any values leave the top the same, but for its ranges."""
    for module in ("lead", "keys"):
        monkeypatch.setattr(f"tierscope.report.top.{module}.ranges", lambda *_: [])
    for name, content in cases:
        other = {key: copy.deepcopy(section.rows) for key, section in content.sections.items()}
        rng = random.Random(name)
        for key, section in content.sections.items():
            for row in other[key]:
                for number in numbers(section) if row.get("conclusive") is False and key not in FITTED else ():
                    if isinstance(value := row[number], float):
                        row[number] = value * rng.uniform(2.0, 9.0)
        again = {key: typed(section, other[key]) for key, section in content.sections.items()}
        assert texts(top(told(content, again))) == texts(top(content)), name


def test_no_inconclusive_number_of_a_curve_is_in_headline_or_tiles(cases: Cases) -> None:
    """The numbers of fitted levels, without those of inconclusive rows."""
    for name, content in cases:
        text = " ".join(texts(top(content)))
        for section in (content.sections[one] for one in FITTED if one in content.sections):
            doubtful, sure = (
                {
                    show(row[column.name])
                    for row in section.judged
                    for column in section.columns
                    if row["conclusive"] is sure and isinstance(row.get(column.name), float)
                    and (show := {"s": show_seconds, "B/s": show_rate}.get(column.unit))
                }
                for sure in (False, True)
            )  # fmt: skip
            assert not [word for word in doubtful - sure if f" {word} (" in text], name


def test_the_top_of_an_inconclusive_run_states_it_and_what_to_do(contents: dict[str, Content]) -> None:
    for content in contents.values():
        rows = {name: copy.deepcopy(section.rows) for name, section in content.sections.items()}
        for row in (row for each in rows.values() for row in each if "conclusive" in row):
            row["conclusive"], row["reasons"] = False, "the machine is busy"
        said = top(told(content, {name: typed(one, rows[name]) for name, one in content.sections.items()}))
        assert "This run shows" in said.lead or "This file shows" in said.lead
        assert said.lead.endswith(": the machine is busy.")
        assert said.answers[-1].short.startswith("Not yet: 0 of ")
        judged_all = all(section.judged for section in content.sections.values())
        assert said.keys == () or not judged_all  # devices that were recovered are counted, not judged
        assert "repeat it" in said.steps[0].text


def test_the_terminal_shows_no_interval_wider_than_its_number(cases: Cases) -> None:
    wrong = []
    for name, content in cases:
        for section in content.sections.values():
            console = Console(file=(out := StringIO()), width=100, no_color=True)
            console.print(*form(section.name)(section, console), sep="\n")
            wrong += [
                f"{name}, {section.name}: {fault}" for line in out.getvalue().splitlines() for fault in faults(line)
            ]
    assert wrong == []


@pytest.mark.parametrize(
    ("insight", "found"),
    [
        (Insight(name="a", text="", value=11.61, unit="1", kind="share"), "a share is between 0 and 1"),
        (Insight(name="a", text="", value=0.5, low=0.6, high=0.7, unit="1"), "its bounds are 0.6 and 0.7"),
        (Insight(name="a", text="", value=7.0, unit="1", whole=3.0), "the whole is 3"),
        (Insight(name="a", text="", value=-1e-9, unit="s"), "a quantity of this kind is not negative"),
        (Insight(name="a", text="", value=float("nan"), unit="s"), "a number is finite"),
        (Insight(name="a", text="", value=-1e-9, low=-2e-9, high=1e-9, unit="s", kind="difference"), ""),
        (Insight(name="a", text="", value=1.6, low=1.5, high=1.7, unit="1"), ""),
    ],
)
def test_the_audit_finds_what_cannot_be_in_a_sentence(insight: Insight, found: str) -> None:
    failures = examine(_said("maps", insight)).failures
    assert [one.found for one in failures] == ([found] if found else [])
    assert {one.table for one in failures} <= {"maps"}
