"""NOTICE names what others made and is handed on with Tierscope; its statements on the page match the page."""

import re
from pathlib import Path

import vl_convert

from tierscope.report.formats.html import PAGE, libraries


def test_the_notice_contains_that_of_the_page(root: Path) -> None:
    assert (root / "NOTICE").read_text().endswith((PAGE / "notice.txt").read_text())
    assert "NOTICE" in (root / "pyproject.toml").read_text()


def test_the_versions_are_those_of_the_libraries(root: Path) -> None:
    text = (PAGE / "notice.txt").read_text()
    named = dict(re.findall(r"(Vega|Vega-Lite|vega-embed) ([0-9.]+[0-9])", text))
    assert named["Vega"] == vl_convert.get_vega_version()
    assert named["vega-embed"] == vl_convert.get_vega_embed_version()
    assert f'"{named["Vega-Lite"]}"' in libraries()
    assert named["Vega-Lite"].startswith(vl_convert.get_vegalite_versions()[-1])


def test_the_libraries_of_the_core_are_named(root: Path) -> None:
    """All that CMake finds outside, but what is linked dynamically and what only tests use."""
    found = set(re.findall(r"find_(?:path|library)\((\w+)", (root / "CMakeLists.txt").read_text()))
    names = {"LEMON": "LEMON", "TOML": "toml++", "ROBIN_MAP": "robin_map", "PMEMOBJ": "PMDK", "PMEM": "PMDK"}
    kinds = {re.sub(r"_(INCLUDE|LIBRARY).*", "", name) for name in found}
    assert kinds, "CMakeLists.txt finds nothing"
    assert kinds <= set(names), "a library that NOTICE does not name"
    notice = (root / "NOTICE").read_text()
    assert all(names[kind] in notice for kind in kinds)
