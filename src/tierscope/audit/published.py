"""A published table as statements, one for each row.

Head lines `# quantity: COLUMN = NAME [x FACTOR]` of the table say which column is which quantity, in the unit of the
column times FACTOR. Columns of words are the words of the statement; a column `read_share` may be made of them.
"""

from tierscope.audit.statement import Quantity, Statement
from tierscope.printed import printed
from tierscope.reference import Reference
from tierscope.units import RATES, TIMES, show_bytes

SHOWN = {"bytes": "B", "1": "", "word": ""}


def statements(reference: Reference) -> list[Statement]:
    """In the order of the rows; UsageError for a word that is no number where one is needed."""
    return [_statement(reference, row) for row in range(len(reference))]


def _statement(reference: Reference, row: int) -> Statement:
    mapped = {column: name for column, name, _ in reference.quantities}
    quantities = {name: _quantity(reference, column, factor, row) for column, name, factor in reference.quantities}
    labels = [
        column for column in reference.columns if mapped.get(column, "_") in ("_", "operation_bytes", "delay_cycles")
    ]
    words = {column: str(reference.columns[column][row]) for column in labels}
    label = ", ".join(
        value if reference.units[column] == "word" else _said(column, value, mapped.get(column, ""), quantities)
        for column, value in words.items()
    )
    for column, word, share in reference.shares:
        if words.get(column) == word:
            quantities["read_share"] = Quantity(share)
    series = ", ".join(value for column, value in words.items() if column not in mapped)
    return Statement(label, quantities, words, reference.name, series)


def _said(column: str, value: str, name: str, quantities: dict[str, Quantity]) -> str:
    """'4 KiB' of a column of sizes, else 'row 7'."""
    return show_bytes(quantities[name].value) if name == "operation_bytes" else f"{column.replace('_', ' ')} {value}"


def _quantity(reference: Reference, column: str, factor: float, row: int) -> Quantity:
    values, unit = reference.columns[column], reference.units[column]
    scale = {**TIMES, **RATES}.get(unit, 1.0) * factor
    if unit == "word":
        value, step = printed(str(values[row]))
        return Quantity(value * scale, step * scale, str(values[row]))
    said = f"{values[row]} {SHOWN.get(unit, unit) or _head(factor)}".strip()
    return Quantity(float(values[row]) * scale, _step(values.tolist()) * scale, said)


def _head(factor: float) -> str:
    """The unit that a factor stands for."""
    return {1024.0: "KiB/s", 1024.0**2: "MiB/s"}.get(factor, "")


def _step(values: list[float]) -> float:
    """Of the last digit: the most decimals of any value of the column."""
    decimals = max(len(str(value).partition(".")[2]) for value in values)
    return 10.0 ** -max(decimals, 0)
