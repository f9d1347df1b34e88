"""The checks of the site without building it: links that leave it, and pictures of runs that exist."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from scripts import module_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return module_of(ROOT / "packaging/site/build.py", "site_build")


def test_a_link_to_a_page_stays_and_one_to_a_source_becomes_text(build: ModuleType, tmp_path: Path) -> None:
    pages = ["README.md", "docs/method.md"]
    text = "[a](method.md#b) [c](../core/main.cpp) [d](https://example.org) [e](#f) [g](../README.md)"
    found = build.LINK.sub(lambda link: build.linked(link, "docs/README.md", pages), text)
    assert found == "[a](method.md#b) c [d](https://example.org) [e](#f) [g](../README.md)"


def test_every_picture_is_of_a_stored_run(build: ModuleType) -> None:
    asked = [name for page in (ROOT / "docs").rglob("*.md") for name in build.PICTURE.findall(page.read_text())]
    assert len(asked) >= 2
    assert [name for name in asked if not (ROOT / "tests/data/runs" / name / "result.json").exists()] == []


def test_every_folder_of_pages_is_in_the_table_of_contents(build: ModuleType) -> None:
    contents = build.contents()
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md")} - {Path("docs")}
    assert [folder for folder in folders if f"{folder}/*" not in contents] == []
    assert all(f"docs/{path.stem}" in contents for path in (ROOT / "docs").glob("*.md"))


def test_a_missing_browser_ends_with_the_command_that_installs_it(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        build.shoot(ROOT / "tests/data/runs/tlb", tmp_path / "a.png")
    assert ended.value.code == 3
    assert "apt-get install -y chromium" in capsys.readouterr().err
    assert sys.executable  # the build runs with the interpreter that started it
