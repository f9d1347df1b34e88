"""A published table as statements: one for each row, or one for each group of columns that has its own labels.

The header lines of the table map each column to a quantity, in the unit of the column times a factor: see
`reference.facts`. Columns of text become labels of the statement. A fact about the table as a whole, such as a peak or
the mean error of a prediction, becomes a separate statement.
"""

from collections.abc import Iterator
from math import floor, log10

from tierscope import reference as references
from tierscope.audit.statement import Quantity, Statement
from tierscope.audit.told_again import AGAIN
from tierscope.printed import printed
from tierscope.reference import Reference
from tierscope.reference.facts import Known, Same, Told, Words
from tierscope.units import RATES, TIMES, show_bytes

USUAL = 0.25  # of a column's values have all its decimals: one of ten last digits is a zero
Usual = dict[str, tuple[int, int]]
"""Decimals and digits of each column."""

SHOWN = {"bytes": "B", "1": "", "word": ""}
LABELS = ("operation_bytes", "delay_cycles", "threads", "load_threads", "footprint_bytes", "operations")
"""Quantities that identify the row, in addition to columns that are not quantities."""


def statements(reference: Reference) -> list[Statement]:
    """Return statements in the order of the rows; UsageError if text is found where a number is needed."""
    numbers = [column for column, unit in reference.units.items() if unit != "word"]
    usual = {column: _usual(reference.columns[column].tolist()) for column in numbers}
    rows = [one for row in range(len(reference)) for one in _row(reference, usual, row)]
    return [*rows, *_whole(reference, usual)]


def _row(reference: Reference, usual: Usual, row: int) -> Iterator[Statement]:
    """Return the statements of one row; each of them includes the columns without labels of their own."""
    facts = reference.facts
    shared = [told for told in facts.quantity if not told.words]
    own = list(dict.fromkeys(tuple(told.words.items()) for told in facts.quantity if told.words)) or [()]
    for words in own:
        chosen = [*shared, *(told for told in facts.quantity if words and tuple(told.words.items()) == words)]
        yield _statement(reference, usual, row, chosen, dict(words))


def _statement(reference: Reference, usual: Usual, row: int, chosen: list[Told], own: Words) -> Statement:
    facts = reference.facts
    mapped = {told.column: told.name for told in facts.quantity} | {
        end: "" for _, low, high in facts.bounds for end in (low, high)
    }
    quantities = {told.name: _quantity(reference, usual, told, row) for told in chosen}
    columns = [name for name in reference.columns if name not in mapped or mapped[name] in LABELS]
    words = {column: str(reference.columns[column][row]) for column in columns}
    label = ", ".join(
        value if reference.units[column] == "word" else _said(column, value, mapped.get(column, ""), quantities)
        for column, value in words.items()
    )
    label = ", ".join(part for part in (*own.values(), label) if part)
    series = ", ".join([*own.values(), *(value for column, value in words.items() if column not in mapped)])
    quantities |= {one.name: Quantity(float(one.value)) for one in facts.known if _applies(one, words)}
    shares = [share for column, word, share in facts.share if words.get(column) == word]
    quantities |= dict(zip(("read_share",), map(Quantity, shares), strict=False))
    again = {
        f"{AGAIN}{name}": (found, where) for one in facts.same for name, found, where in _again(reference, one, row)
    }
    quantities |= {name: found for name, (found, _) in again.items()}
    told = {one.name: one.value.format(**words) for one in facts.word if _applies(one, words)}
    words = words | own | told | {name: where for name, (_, where) in again.items()}
    return Statement(label or f"row {row + 1}", quantities, words, reference.name, series, facts.part, conclusive=True)


def _applies(one: Known, words: Words) -> bool:
    return all(words.get(column) == word for column, word in one.where.items())


def _said(column: str, value: str, name: str, quantities: dict[str, Quantity]) -> str:
    """Return '4 KiB' for a column of sizes, else 'row 7'."""
    sizes = name in ("operation_bytes", "footprint_bytes") and name in quantities
    return show_bytes(quantities[name].value) if sizes else f"{column.replace('_', ' ')} {value}"


def _quantity(reference: Reference, usual: Usual, told: Told, row: int) -> Quantity:
    column = told.column
    values, unit = reference.columns[column], reference.units[column]
    scale = {**TIMES, **RATES}.get(unit, 1.0) * told.factor
    if unit == "word":
        value, step = printed(str(values[row]))
        return Quantity(value * scale, step * scale, str(values[row]))
    said = f"{values[row]} {SHOWN.get(unit, unit) or _head(told.factor)}".strip()
    ends = next(((low, high) for name, low, high in reference.facts.bounds if name == column), None)
    bounds = None if ends is None else tuple(float(reference.columns[end][row]) * scale for end in ends)
    step = _step(usual[column], values[row].item()) * scale
    return Quantity(float(values[row]) * scale, step, said, (bounds[0], bounds[1]) if bounds else None)


def _head(factor: float) -> str:
    """Return the unit that a factor stands for."""
    return {1024.0: "KiB/s", 1024.0**2: "MiB/s"}.get(factor, "")


def _usual(values: list[float]) -> tuple[int, int]:
    """Return (decimals of a column whose zeros at the end were dropped, the most digits of any of its values)."""
    counts = [_decimals(value) for value in values]
    decimals = max(n for n in set(counts) if sum(count >= n for count in counts) >= len(counts) * USUAL)
    return decimals, max(_digits(value) for value in values)


def _step(usual: tuple[int, int], one: float) -> float:
    """Return what the last digit is worth.

    A column that is rounded to a number of digits has fewer decimals in larger values.
    """
    decimals, digits = usual
    coarsest = 10.0 ** (floor(log10(abs(one))) + 1 - digits) if one else 0.0
    return float(max(10.0 ** -max(decimals, _decimals(one)), min(coarsest, 1.0)))


def _digits(value: float) -> int:
    return len(str(value).removesuffix(".0").partition("e")[0].replace(".", "").lstrip("0")) or 1


def _decimals(value: float) -> int:
    return len(str(value).removesuffix(".0").partition(".")[2].partition("e")[0])


def _again(reference: Reference, same: Same, row: int) -> Iterator[tuple[str, Quantity, str]]:
    """Return the numbers of another table that should equal these, by the name of the quantity here."""
    other = references.load(same.table)
    keys = {key: reference.columns[word[1:-1]][row] for key, word in same.keys.items()}
    rows = other.where(**{key: value.item() for key, value in keys.items()})
    names = [told.name for told in reference.facts.quantity if told.column == same.column]
    if len(rows) == 1 and names:
        decimals = _usual(other.columns[same.other].tolist())
        scale = {**TIMES, **RATES}.get(other.units[same.other], 1.0)
        value = float(rows.columns[same.other][0])
        yield names[0], Quantity(value * scale, _step(decimals, value) * scale), f"table {same.table}"


def _whole(reference: Reference, usual: Usual) -> Iterator[Statement]:
    """Return the statement of all rows together."""
    facts = reference.facts
    if facts.table:
        quantities = {one.name: Quantity(float(one.value)) for one in facts.table}
        yield Statement("the table", quantities, {}, reference.name, conclusive=True)
    for column, percent, measured in facts.error:
        stated, step = printed(percent)
        means = _mean_errors(_values(reference, usual, column), _values(reference, usual, measured))
        names = ("error_over_measured", "error_over_predicted")
        quantities = {"stated_error": Quantity(stated / 100, step / 100), **dict(zip(names, means, strict=True))}
        yield Statement(f"the table, {column.replace('_', ' ')}", quantities, {}, reference.name, conclusive=True)


def _values(reference: Reference, usual: Usual, column: str) -> list[Quantity]:
    return [_quantity(reference, usual, Told(column, column), row) for row in range(len(reference))]


def _mean_errors(predicted: list[Quantity], measured: list[Quantity]) -> tuple[Quantity, Quantity]:
    """Return the errors relative to the measurement and to the prediction, with the bounds that rounding allows."""
    found = []
    for under in (measured, predicted):
        rows = list(zip(predicted, measured, under, strict=True))
        middle = sum(abs(p.value - m.value) / u.value for p, m, u in rows) / len(rows)
        low = sum(max(p.low - m.high, m.low - p.high, 0.0) / u.high for p, m, u in rows) / len(rows)
        high = sum(max(p.high - m.low, m.high - p.low) / u.low for p, m, u in rows) / len(rows)
        found.append(Quantity(middle, bounds=(low, high)))
    return found[0], found[1]
