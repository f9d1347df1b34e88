"""The page of every suite in a real browser, light and dark: accessible, small, silent, and every control of it works.

axe (Deque Systems) looks at each page with everything unfolded. Its rules find what a program can find: contrast, names
of controls, order of headings; a person with a screen reader finds more.
"""

import html as escaped
import importlib.util
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reported import small_run
from shell import LONGEST_S
from test_report_browser import FLAGS
from tierscope.record.result import load
from tierscope.report.content import gather
from tierscope.report.formats import html
from tierscope.report.policy import hash_of

pytestmark = pytest.mark.browser

RUNS = sorted((Path(__file__).parents[1] / "data/runs").iterdir())
LARGEST = 1_500_000  # bytes of a page
SCREEN, SCREENS = 844, 8  # px of a phone of 390 px, and how many of them the page of quick takes
BEGIN = """
const wait = (test) => new Promise((done) => { const look = () => test() ? done() : setTimeout(look, 20); look(); });
const all = (selector) => [...document.querySelectorAll(selector)];
const root = document.documentElement;
const tell = (seen) => {
  const out = document.createElement("output");
  out.id = "seen"; out.textContent = JSON.stringify(seen); document.body.append(out);
};
"""
LOOK = """
(async () => {
  await wait(() => root.dataset.drawn);
  for (const fold of all("details")) fold.open = true;
  const found = await axe.run(document, { resultTypes: ["violations"] });
  tell({ theme: root.dataset.theme, errors: root.dataset.errors ?? null,
         rules: found.passes.length, wrong: found.violations.map((one) => [one.id, one.nodes[0].html]) });
})();
"""
READ = """
(async () => {
  await wait(() => root.dataset.drawn);
  const cut = all(".chart svg .role-legend text").map((one) => one.textContent).filter((text) => text.endsWith("…"));
  const black = all(".chart svg .role-legend-symbol path").filter((one) =>
    [one.getAttribute("fill"), one.getAttribute("stroke")].some((hue) => ["black", "#000", "#000000"].includes(hue)));
  const met = [];
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  for (const axis of all(".chart svg .role-axis-label")) {
    const words = [...axis.querySelectorAll("text")].filter((one) => one.getAttribute("opacity") !== "0");
    if (words.some((one) => /rotate/.test(one.getAttribute("transform")))) continue;  // a box is not what it has in it
    words.forEach((one, n) => words.slice(n + 1).forEach((other) => {
      if (meet(one.getBoundingClientRect(), other.getBoundingClientRect()))
        met.push(`${axis.closest(".chart").dataset.figure}: ${one.textContent} and ${other.textContent}`);
    }));
  }
  const texts = all(".chart svg .role-axis-label text").length;
  tell({ theme: root.dataset.theme, texts, cut, met, black: black.length });
})();
"""
WORK = """
(async () => {
  await wait(() => root.dataset.drawn);
  for (const fold of all("details")) fold.open = true;
  const seen = { done: {}, heads: 0, dead: [] };
  document.execCommand = () => true;
  navigator.clipboard.writeText = () => Promise.resolve();
  HTMLAnchorElement.prototype.click = function () { if (!this.download) seen.dead.push(this.href); };
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  for (const button of all("button[data-do]")) {
    button.click(); await pause(5); seen.done[button.dataset.do] = (seen.done[button.dataset.do] ?? 0) + 1;
  }
  for (const list of all("select")) {
    list.selectedIndex = list.options.length - 1; list.dispatchEvent(new Event("change", { bubbles: true }));
  }
  for (const head of all("th.sortable")) {
    head.click(); seen.heads++;
    if (!["ascending", "descending"].includes(head.getAttribute("aria-sort"))) seen.dead.push(head.dataset.name);
  }
  for (const link of all('a[href^="#"]')) {
    if (!document.getElementById(link.hash.slice(1))) seen.dead.push(link.hash);
  }
  const themes = new Set();
  for (let n = 0; n < 3; n++) { document.getElementById("theme").click(); themes.add(root.dataset.theme ?? "auto"); }
  await pause(800);
  tell({ ...seen, themes: themes.size, errors: root.dataset.errors ?? null, charts: all(".chart svg").length });
})();
"""
NARROW = """
document.documentElement.style.width = "390px";
(async () => {
  await wait(() => root.dataset.drawn);
  tell({ height: document.body.scrollHeight, wide: all("main > section").filter((e) => e.scrollWidth > 391).length });
})();
"""


def seen_in(
    browser: str, tmp_path: Path, text: str, *scripts: str, anchor: str = "", width: int = 1200
) -> dict[str, Any]:
    """Return what the scripts saw in a page; the console must be empty."""
    page = tmp_path / "page.html"
    allowed = " ".join(hash_of(script) for script in scripts)
    added = "".join(f"<script>{script}</script>" for script in scripts)
    page.write_text(text.replace("</body>", f"{added}</body>").replace("script-src ", f"script-src {allowed} "))
    command = [
        browser,
        *FLAGS,
        f"--window-size={width},900",
        "--enable-logging=stderr",
        f"--user-data-dir={tmp_path}/profile",
        f"file://{page}{anchor}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=True)
    said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line and "WARN Using discrete" not in line]
    assert said == []
    found = re.search(r'<output id="seen">(.*?)</output>', done.stdout, re.DOTALL)
    assert found, done.stdout[:300]
    return dict(json.loads(escaped.unescape(found.group(1))))


@pytest.fixture(scope="module")
def axe() -> str:
    found = importlib.util.find_spec("axe_core_python")
    if found is None or found.origin is None:
        pytest.skip("no axe: .venv/bin/pip install --require-hashes -r requirements/site.txt")
    return (Path(found.origin).parent / "axe.min.js").read_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("suite", [run.name for run in RUNS])
def test_the_page_of_a_suite_is_accessible_and_small(
    browser: str, axe: str, tmp_path: Path, suite: str, theme: str
) -> None:
    text = html.render(gather(load(RUNS[0].parent / suite)))
    assert len(text.encode()) < LARGEST
    seen = seen_in(browser, tmp_path, text, axe, BEGIN + LOOK, anchor=f"#{theme}")
    assert seen["theme"] == theme
    assert seen["errors"] is None
    assert seen["wrong"] == []


@pytest.mark.parametrize("suite", [run.name for run in RUNS])
def test_legends_and_ticks_of_a_dark_page_can_be_read(browser: str, tmp_path: Path, suite: str) -> None:
    content = gather(load(RUNS[0].parent / suite))
    seen = seen_in(browser, tmp_path, html.render(content), BEGIN + READ, anchor="#dark")
    assert seen["theme"] == "dark"
    assert (seen["texts"] > 0) == bool(content.drawings)
    assert seen["cut"] == [], "entries of a legend are cut off"
    assert seen["black"] == 0, "symbols of a legend have no colour of the page"
    assert seen["met"] == [], "labels of an axis overlap"


def test_axe_finds_what_is_wrong(browser: str, axe: str, tmp_path: Path) -> None:
    text = html.render(gather(small_run(tmp_path / "run"))).replace(
        "<main>", '<main><img src="data:,"><button></button>'
    )
    seen = seen_in(browser, tmp_path, text, axe, BEGIN + LOOK)
    assert {rule for rule, _ in seen["wrong"]} >= {"image-alt", "button-name"}


@pytest.mark.parametrize("suite", [run.name for run in RUNS])
def test_every_control_of_the_page_of_a_suite_works(browser: str, tmp_path: Path, suite: str) -> None:
    content = gather(load(RUNS[0].parent / suite))
    seen = seen_in(browser, tmp_path, html.render(content), BEGIN + WORK)
    assert seen["errors"] is None
    assert seen["dead"] == []
    assert seen["themes"] >= 2
    assert seen["charts"] == len(content.drawings)
    assert seen["heads"] > 0
    assert {"copy", "csv"} <= set(seen["done"])
    if content.drawings:
        assert {"svg", "png", "reset"} <= set(seen["done"])


def test_the_page_of_quick_is_at_most_eight_screens_of_a_phone(browser: str, tmp_path: Path) -> None:
    """The same style applies below 620 px, and a window of a headless browser is at least 500 wide."""
    text = html.render(gather(small_run(tmp_path / "run", groups=False)))
    seen = seen_in(browser, tmp_path, text, BEGIN + NARROW, width=500)
    assert seen["wide"] == 0
    assert seen["height"] <= SCREENS * SCREEN
