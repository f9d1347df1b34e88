#!/usr/bin/env python3
"""Build the documents as a site that works from a folder, without a server or a network: `build.py [OUT]`.

The pages are those of docs/ and of the root. Links to files of the source tree, which the site does not contain, become
text. A line `<!-- picture: RUN -->` becomes a picture of the report of that stored run, taken by a headless Chromium.

Status 3: Sphinx or Chromium is missing; the message has the command that installs it.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md")
PARTS = {  # title -> pages of the table of contents, in order; a pattern takes what is in the folder
    "Start": ("README", "docs/README", "docs/tutorial"),
    "For you": ("docs/readers/*",),
    "How-to guides": ("docs/how-to/*",),
    "Reference": ("docs/reference/*",),
    "Explanation": ("docs/method", "docs/comparison"),
    "Design": ("docs/decisions/*",),
    "Development": ("HACKING", "CONTRIBUTING", "CHANGELOG"),
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
PICTURE = re.compile(r"^<!-- picture: ([\w-]+) -->$", re.MULTILINE)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = "1100,1500"


def main(out: Path) -> None:
    """Write the site into `out`, which is replaced; exit with 3 and a message where a tool is missing."""
    with tempfile.TemporaryDirectory(prefix="tierscope-site-") as folder:
        source = Path(folder)
        stage(source)
        shutil.rmtree(out, ignore_errors=True)
        words = ["-q", "-W", "--keep-going", "-c", str(Path(__file__).parent), "-d", f"{source}/.doctrees", str(source)]
        done = subprocess.run([sys.executable, "-m", "sphinx", *words, str(out)], check=False)
        if done.returncode:
            sys.exit(done.returncode)


def stage(source: Path) -> None:
    """Copy the pages below `source`, with links and pictures as the site needs them."""
    pages = [*PAGES, *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
    shutil.copytree(ROOT / "docs/images", source / "docs/images")
    for page in pages:
        place = source / page
        place.parent.mkdir(parents=True, exist_ok=True)
        text = LINK.sub(lambda link, page=page: linked(link, page, pages), (ROOT / page).read_text())
        place.write_text(PICTURE.sub(lambda found, place=place: pictured(found[1], place.parent), text))
    (source / "index.md").write_text(contents())


def linked(link: re.Match[str], page: str, pages: list[str]) -> str:
    """Return a link as it is if the site has its target; else its text alone."""
    text, target = link[1], link[2]
    if not target or re.match(r"https?://", target):
        return link[0]
    place = (ROOT / page).parent / target
    known = place.resolve().is_relative_to(ROOT) and str(place.resolve().relative_to(ROOT)) in pages
    return link[0] if known or place.suffix in (".svg", ".png") else text


def contents() -> str:
    """Return the first page: a table of contents for each part."""
    trees = "".join(
        f"\n```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n:glob:\n\n" + "\n".join(pages) + "\n```\n"
        for title, pages in PARTS.items()
    )
    return f"# Tierscope\n\nMeasure, model and predict every tier of a machine's memory.\n{trees}"


def pictured(name: str, folder: Path) -> str:
    """Take a picture of the report of a stored run, next to the page; return the Markdown that shows it."""
    picture = folder / f"{name}.png"
    if not picture.exists():
        shoot(ROOT / "tests/data/runs" / name, picture)
    return f"![The report of a run of {name}]({picture.name})"


def shoot(run: Path, picture: Path) -> None:
    """Write the top of the report of a run as a PNG."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        missing("no Chromium for the pictures", "sudo apt-get install -y chromium")
    with tempfile.TemporaryDirectory(prefix="tierscope-picture-", ignore_cleanup_errors=True) as folder:
        shutil.copytree(run, Path(folder) / "runs" / run.name)  # so the page names no place of this machine
        words = ["report", f"runs/{run.name}", "--to", folder]
        program = Path(sys.executable).with_name("tierscope")
        subprocess.run([program, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        page = next(Path(folder).glob("report*.html"))
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}",
             "--virtual-time-budget=10000", f"--user-data-dir={folder}/browser", f"--screenshot={picture}",
             page.as_uri()],
            check=True, stderr=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip


def missing(what: str, command: str) -> None:
    """End with status 3."""
    sys.stderr.write(f"site: {what}: {command}\n")
    sys.exit(3)


if __name__ == "__main__":
    try:
        import furo  # noqa: F401
        import myst_parser  # noqa: F401
        import sphinx  # noqa: F401
    except ImportError as error:
        missing(f"no {error.name}", ".venv/bin/python -m pip install -r requirements/site.txt")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve())
