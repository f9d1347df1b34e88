"""What figures and the terminal share about operations on structures."""

from tierscope.draw.words import threads_name
from tierscope.tables import Flat
from tierscope.units import show_bytes

VARYING = ("count", "value_bytes", "threads", "keys", "sharing", "target")


def varying(rows: list[Flat]) -> list[str]:
    """The words beside structure and operation in which rows differ."""
    return [key for key in VARYING if len({row[key] for row in rows}) > 1]


def chart(row: Flat, names: list[str]) -> str:
    """'get, 50000 keys, 2 threads': the operation, and those words in which rows differ."""
    return ", ".join([str(row["operation"]), *words(row, names)])


def words(row: Flat, names: list[str]) -> list[str]:
    """['50000 keys', '2 threads']: one for each name."""
    told = {
        "count": f"{row['count']} keys",
        "value_bytes": f"values of {show_bytes(float(row['value_bytes'] or 0))}",
        "threads": threads_name(int(row["threads"] or 0)),
        "keys": str(row["keys"]),
        "sharing": "a structure each" if row["sharing"] == "own" else "one structure",
        "target": str(row["target"]),
    }
    return [told[name] for name in names]
