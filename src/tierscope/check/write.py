"""A thresholds file made of a run: each conclusive main number, with a margin.

    at_least = low bound of the interval * (1 - margin)     where more is better
    at_most  = high bound of the interval * (1 + margin)    where less is better

So the run itself keeps its thresholds. A key is left out of `where` if it is a size and all points of the table have
the same: it was chosen by the free memory and the caches, and is another one tomorrow. A table whose points are moments
of a run has no point that another run has.
"""

import json
import shlex
from collections.abc import Iterator

from tierscope.check.threshold import column_of, key_word
from tierscope.compare.measures import Measure, measures
from tierscope.errors import UsageError
from tierscope.plans import suites
from tierscope.printable import printable
from tierscope.record.experiment import Label
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.tables import Flat
from tierscope.units import word_size, word_value

MOMENT = "moment"


@reads("the thresholds file")
def thresholds_of(run: Run, margin: float) -> str:
    """Return the text of the file; UsageError where no point is conclusive. margin: a share, from 0 up to 1."""
    blocks: list[str] = []
    left_out = 0
    for measure in measures().values():
        if MOMENT in measure.table.keys:
            continue
        rows = measure.rows(run)
        sure = [row for row in rows if _is_sure(measure, row)]
        left_out += len(rows) - len(sure)
        keys = _keys(measure, rows)
        many = len([one for one in measures().values() if one.table is measure.table]) > 1
        blocks += dict.fromkeys(_block(measure, keys, row, margin, many) for row in sure)
    if not blocks:
        raise UsageError(f"{run.path} has no conclusive main number; {_next_step(run, left_out)}")
    return "\n".join([*_head(run, margin, left_out), *blocks])


def _next_step(run: Run, left_out: int) -> str:
    """Return what gives numbers to a file of thresholds. left_out: points that are inconclusive."""
    if not left_out:
        return "name a run of a suite that compares points, as tierscope run quick"
    return f"tierscope show {shlex.quote(str(run.path))} states why, and what helps"


def _head(run: Run, margin: float, left_out: int) -> Iterator[str]:
    result = run.result
    name, day = _literal(run.path.resolve().name), printable(result.started.partition("T")[0])
    yield f"# Thresholds of {name}, measured {day}, with a margin of {margin * 100:g} %."
    if left_out:
        yield f"# Points that are left out because they are inconclusive: {left_out}."
    if result.suite not in suites:
        yield "# No suite measures this again: use it as `tierscope check FILE RUN`."
    else:
        yield f"suite = {_literal(result.suite)}"
        usual = suites[result.suite].read({}).labels()
        own = {key: value for key, value in result.options.items() if key in usual and value is not None}
        if changed := {key: value for key, value in own.items() if value != usual[key]}:
            yield "\n[options]"
            yield from (f"{key} = {_literal(value)}" for key, value in changed.items())
    yield ""


def _is_sure(measure: Measure, row: Flat) -> bool:
    found = measure.interval(row)
    return found is not None and row.get("conclusive") is not False and found.low > 0


def _keys(measure: Measure, rows: list[Flat]) -> list[str]:
    """Return the keys that name a point; see above."""
    sizes = [key for key in measure.table.keys if column_of(measure.table, key).unit == "B"]
    same = {key for key in sizes if len({row.get(key) for row in rows}) == 1}
    return [key for key in measure.table.keys if key not in same]


def _block(measure: Measure, keys: list[str], row: Flat, margin: float, many: bool) -> str:
    found = measure.interval(row)
    assert found is not None
    conditions = [
        f"{key_word(measure.table, key)} = {_key_literal(measure, key, row[key])}"
        for key in keys
        if row.get(key) not in (None, "")
    ]
    less = measure.main.less_is_better
    bound = found.high * (1 + margin) if less else found.low * (1 - margin)
    lines = ["[[threshold]]", f"table = {_literal(measure.table.name)}"]
    lines += [f"where = {{ {', '.join(conditions)} }}"] if conditions else []
    lines += [f"value = {_literal(measure.main.stem)}"] if many else []
    asked = _literal(word_value(bound, measure.unit, up=less))
    return "\n".join([*lines, f"{'at_most' if less else 'at_least'} = {asked}", ""])


def _key_literal(measure: Measure, key: str, value: Label) -> str:
    if column_of(measure.table, key).unit == "B" and isinstance(value, int):
        return _literal(word_size(value))
    return _literal(value)


def _literal(value: Label) -> str:
    """Return a value as TOML has it; texts are escaped as JSON escapes them, which TOML reads alike."""
    return printable(json.dumps(value, ensure_ascii=False))
