"""The open list: entries register themselves, plug-ins too, and a wrong name is reported with the nearest ones."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from tierscope import registry
from tierscope.errors import Exit, UnknownNameError
from tierscope.registry import Registry, unknown


@dataclass(frozen=True)
class Tool:
    """An entry."""

    name: str


ROOM = """
from test_registry import Tool
from tierscope.registry import Registry
tools: Registry[Tool] = Registry("tool", "{package}")
"""
ENTRY = """
from {package} import tools
from test_registry import Tool
tools.add(Tool("{name}"))
"""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """A package of two modules that register themselves, and a plug-in next to it."""
    package = f"made_room_{abs(hash(request.node.name))}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(ROOM.format(package=package))
    for name in ("saw", "axe"):
        (tmp_path / package / f"{name}.py").write_text(ENTRY.format(package=package, name=name))
    (tmp_path / f"{package}_plug_in.py").write_text(ENTRY.format(package=package, name="drill"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "test_registry", sys.modules[__name__])
    point = EntryPoint(name="drill", value=f"{package}_plug_in", group=package)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([point]).select(group=group))
    yield package
    for name in [name for name in sys.modules if name.startswith(package)]:
        del sys.modules[name]


def _tools(package: str) -> Registry[Tool]:
    found: Registry[Tool] = __import__(package).tools
    return found


def test_modules_of_the_room_and_plug_ins_are_found_in_the_order_of_names(room: str) -> None:
    assert list(_tools(room)) == ["axe", "drill", "saw"]


def test_an_entry_is_had_by_its_name(room: str) -> None:
    tools = _tools(room)
    assert tools["saw"] == Tool("saw")
    assert "axe" in tools
    assert "hammer" not in tools


def test_nothing_is_imported_before_it_is_asked_for(room: str) -> None:
    tools = _tools(room)
    assert f"{room}.saw" not in sys.modules
    assert "saw" in tools
    assert f"{room}.saw" in sys.modules


def test_two_entries_of_one_name_are_a_fault(room: str) -> None:
    tools = _tools(room)
    assert "saw" in tools
    with pytest.raises(ValueError, match="two tools are named saw"):
        tools.add(Tool("saw"))


def test_an_unknown_name_is_a_usage_error_that_names_the_nearest(room: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        _tools(room)["sew"]
    assert str(caught.value) == "unknown tool 'sew'; did you mean saw? (known: saw, axe, drill)"
    assert caught.value.status is Exit.USAGE


def test_a_name_far_from_all_gets_no_guess() -> None:
    assert unknown("tool", "zzz", ["saw", "axe"]) == "unknown tool 'zzz' (known: axe, saw)"


def test_the_nearest_names_are_listed_first_and_the_others_by_name() -> None:
    known = ["tlb", "stride", "stream", "series", "numa", "background"]
    said = unknown("suite", "streax", known)
    assert said == (
        "unknown suite 'streax'; did you mean stream? (known: stream, stride, background, numa, series, tlb)"
    )
    assert sorted(said.partition("known: ")[2].rstrip(")").split(", ")) == sorted(known)


def test_names_that_are_as_near_stay_in_order() -> None:
    assert unknown("reference", "005", ["004", "003", "002", "001", "000"]).endswith("(known: 000, 001, 002, 003, 004)")
