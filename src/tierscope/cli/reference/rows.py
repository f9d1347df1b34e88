"""Tables with their keys, insights and points, for docs/reference/json.md."""

from tierscope.cli.reference import Part, grid, parts
from tierscope.cli.reference.command_line import wrapped
from tierscope.tables import Column, Plain, tables
from tierscope.tables.measured import CLOSING

PAGE = "docs/reference/json.md"


def meaning(column: Column) -> str:
    """Return the help of a column; of a bound without one, that it is a bound."""
    bound = {"_low": "lower", "_high": "upper"}
    ending = next((ending for ending in bound if column.name.endswith(ending)), "")
    return column.help or (f"{bound[ending]} bound" if ending else "")


def keys(columns: tuple[Column, ...]) -> str:
    """Return the table of some columns."""
    return grid("key | unit | meaning", [(f"`{one.name}`", one.unit, meaning(one)) for one in columns])


def section(table: Plain) -> str:
    """Return heading, meaning of a row and keys of a table; keys that all tables share are left out."""
    own = tuple(one for one in table.columns if not (closes(table) and one in CLOSING))
    return f"### `{table.name}`\n\n{wrapped(table.about)}\n\n{keys(own)}"


def closes(table: Plain) -> bool:
    """Return whether the rows of a table end with the keys that all share."""
    return set(CLOSING) <= set(table.columns)


def insights(table: Plain) -> list[tuple[str, str, str]]:
    """Return name, table and meaning of the value of each insight of a table."""
    return [(f"`{name}`", f"`{table.name}`", text) for name, text in table.says.items()]


def points(table: Plain) -> tuple[str, str, str]:
    """Return the name of a table, the keys that distinguish its points, and its main values."""
    return (
        f"`{table.name}`",
        ", ".join(f"`{key}`" for key in table.keys),
        ", ".join(f"`{one.name}`" for one in table.main),
    )


def _all() -> list[Plain]:
    return [tables[name] for name in tables]


def _names() -> str:
    every = "\n".join(f"- [`{one.name}`](#{one.name})" for one in _all())
    return f"The value of `table` is one of these:\n\n{every}"


def _closing() -> str:
    without = ", ".join(f"`{one.name}`" for one in _all() if not closes(one))
    return f"{wrapped(f'All tables have these keys, except {without}.')}\n\n{keys(CLOSING)}"


def _insights() -> str:
    return grid("name | table | value", [row for one in _all() for row in insights(one)])


def _points() -> str:
    return grid("table | keys | main values", [points(one) for one in _all() if one.main])


parts.add(Part("names-of-tables", PAGE, _names))
parts.add(Part("keys-of-every-row", PAGE, _closing))
parts.add(Part("tables", PAGE, lambda: "\n\n".join(section(one) for one in _all())))
parts.add(Part("insights", PAGE, _insights))
parts.add(Part("points", PAGE, _points))
