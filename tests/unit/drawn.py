"""The parts of a drawn figure."""

from collections.abc import Iterator
from typing import Any

from tierscope.report.content import Content


def spec_of(content: Content, name: str) -> dict[str, Any]:
    """Return the specification of the figure of this name."""
    return next(drawing.spec for drawing in content.drawings if drawing.figure.name == name)


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every dict within a specification."""
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(entry)
    if isinstance(value, dict):
        yield value


def layers(spec: dict[str, Any], mark: str = "") -> list[dict[str, Any]]:
    """Return the layers; those with this kind of mark alone where one is given."""
    return [part for part in walk(spec) if "mark" in part and mark in ("", part["mark"]["type"])]
