"""The site of the documents: built as a whole, complete, and without a request to another place."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "packaging/site/build.py"
LOADED = re.compile(r"<(?:script|link|img|source|iframe)\b[^>]*?(?:src|href)=[\"'](?:https?:)?//[^\"']*", re.IGNORECASE)
PICTURES = 2  # reports of stored runs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo", reason="needs .venv/bin/python -m pip install -r requirements/site.txt")
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))):
        pytest.skip("needs a Chromium for the pictures: sudo apt-get install -y chromium")
    out = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run([sys.executable, BUILD, out], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return out


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not (site / page).exists()] == []
    assert all(f'href="{page}"' in (site / "index.html").read_text() for page in pages)


def test_nothing_is_loaded_from_another_place(site: Path) -> None:
    assert LOADED.search('<script src="https://cdn.example/x.js">')
    assert LOADED.search("<link rel=stylesheet href='//fonts.example/x.css'>")
    found = {path.name: LOADED.findall(path.read_text()) for path in site.rglob("*.html")}
    assert {name: places for name, places in found.items() if places} == {}
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", styles) == []


def test_the_search_knows_the_words_of_the_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text()
    assert all(f'"{word}"' in index or f"{word}:" in index for word in ("steal", "perfetto", "hugepag"))


def test_a_page_has_a_light_and_a_dark_form_and_the_width_of_a_phone(site: Path) -> None:
    page = (site / "docs/readers/slow-vm.html").read_text()
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page + "".join(path.read_text() for path in site.rglob("*.css"))


def test_the_pictures_are_made_by_the_build(site: Path) -> None:
    pictures = list((site / "_images").glob("*.png"))
    assert len(pictures) == PICTURES
    assert all(path.stat().st_size > 20_000 for path in pictures)
    assert list((ROOT / "docs").rglob("*.png")) == []
