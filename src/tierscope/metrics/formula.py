"""A formula over counts: +, -, *, / and brackets, read once, no code of Python's run."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tierscope.errors import UsageError

KNOWN = ("operations", "seconds", "line")  # in addition to events
Operator = Callable[[float, float], float]
OPERATORS: dict[type[ast.operator], Operator] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """`names`: what it needs, as written."""

    text: str
    tree: ast.expr
    names: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Return the formula; raise UsageError for anything but arithmetic."""
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UsageError(f"formula {text!r} cannot be read: {error}") from error
        names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        _refuse(text, tree)
        return cls(text, tree, names)

    def value(self, counts: Mapping[str, float]) -> float | None:
        """Return the value; None where it divides by nothing. Every name must be in `counts`."""
        try:
            found = _value(self.tree, counts)
        except (ZeroDivisionError, OverflowError):
            return None
        return found if math.isfinite(found) else None


def _refuse(text: str, node: ast.expr) -> None:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        _refuse(text, node.left)
        _refuse(text, node.right)
    elif not isinstance(node, ast.Name) and not (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        raise UsageError(f"formula {text!r} has more than numbers, names of events, + - * / and brackets")


def _value(node: ast.expr, counts: Mapping[str, float]) -> float:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left, counts), _value(node.right, counts))
    if isinstance(node, ast.Name):
        return counts[node.id]
    assert isinstance(node, ast.Constant)
    return float(node.value)  # type: ignore[arg-type]  # `_refuse` let numbers through alone
