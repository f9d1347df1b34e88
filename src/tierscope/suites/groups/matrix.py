"""One block of a file of groups as many experiments: each combination of the values of its matrix.

[experiment.matrix]
kernel = ["read", "copy"]
cpus = ["0", "0-1"]

Each `{name}` in a text of the experiment takes the value of that name. A text that is `{name}` alone becomes the value
itself, a number too. The last name of the matrix varies fastest. `{{` and `}}` stand for braces.
"""

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any

from tierscope.errors import UsageError

NAME = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z_0-9]{0,31})\}(?!\})")
MOST = 4096  # experiments of one block: a run of as many lasts over an hour
LABEL = "label"

Values = Mapping[str, Any]


def expanded(entry: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Return the experiments of a block; the block itself where it has no matrix. UsageError for a mistake in it."""
    if "matrix" not in entry:
        return [entry]
    matrix = _read(entry["matrix"], place)
    rest = {key: value for key, value in entry.items() if key != "matrix"}
    used = set(_names(rest))
    if missing := sorted(used - matrix.keys()):
        raise UsageError(f"{place}: {{{missing[0]}}} is not in the matrix, which has {', '.join(matrix)}")
    if idle := [name for name in matrix if name not in used]:
        raise UsageError(f"{place}: no text of the experiment uses {{{idle[0]}}} of the matrix; write it, or remove it")
    rest.setdefault(LABEL, ", ".join(f"{name} {{{name}}}" for name in matrix))
    return [_filled(rest, dict(zip(matrix, values, strict=True))) for values in itertools.product(*matrix.values())]


def _read(matrix: Any, place: str) -> dict[str, list[Any]]:
    if not isinstance(matrix, dict) or not matrix:
        raise UsageError(f'{place}: matrix is a table of lists, such as kernel = ["read", "copy"]')
    for name, values in matrix.items():
        if not NAME.fullmatch(f"{{{name}}}"):
            raise UsageError(f"{place}: {name!r} is not a name for the matrix; use letters, digits and _")
        if not isinstance(values, list) or not values:
            raise UsageError(f'{place}: expected a list for matrix.{name}, got {values!r}; try {name} = ["a", "b"]')
        if wrong := [one for one in values if not isinstance(one, str | int | float | bool)]:
            raise UsageError(f"{place}: matrix.{name} lists texts, numbers, true and false, not {wrong[0]!r}")
    if (count := math.prod(map(len, matrix.values()))) > MOST:
        raise UsageError(f"{place}: its matrix makes {count} experiments, and {MOST} are the most; shorten its lists")
    return matrix


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return NAME.findall(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for part in parts for name in _names(part)]


def _filled(value: Any, values: Values) -> Any:
    if isinstance(value, str):
        alone = NAME.fullmatch(value)
        if alone:
            return values[alone[1]]
        return NAME.sub(lambda found: _word(values[found[1]]), value).replace("{{", "{").replace("}}", "}")
    if isinstance(value, dict):
        return {key: _filled(part, values) for key, part in value.items()}
    return [_filled(part, values) for part in value] if isinstance(value, list) else value


def _word(value: Any) -> str:
    """Return a value as TOML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
