"""The page in a real browser: every figure drawn, no error, no request, and its buttons work.

The browser runs without a network of its own to reach; what the page may ask for is also forbidden by its policy.
"""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reported import evil_run, small_run
from shell import LONGEST_S
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.figure_page import Beside, figure_page
from tierscope.report.formats import html
from tierscope.report.policy import hash_of

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--virtual-time-budget=20000", "--dump-dom",
)  # fmt: skip

ACT = """
const wait = (test) => new Promise((done) => { const look = () => test() ? done() : setTimeout(look, 20); look(); });
const pause = (time) => new Promise((done) => setTimeout(done, time));
const all = (selector) => [...document.querySelectorAll(selector)];
const paths = (name) => all(`.chart[data-figure="${name}"] svg .mark-line path`).map((p) => p.getAttribute("d")).join();
const cells = (column) => all("#table-stream tbody tr").map((row) => row.cells[column].textContent);
(async () => {
  const seen = {};
  await wait(() => document.documentElement.dataset.drawn);
  seen.before = paths("staircase");
  document.querySelector('[data-do=axis][data-figure=staircase][data-axis=y]').click();
  await wait(() => paths("staircase") && paths("staircase") !== seen.before);
  document.querySelector('[data-do=axis][data-figure=loaded_latency][data-axis=y]').click();
  seen.timeline = paths("timeline");
  const list = document.querySelector("#bind-timeline select");
  seen.choices = list.options.length;
  list.selectedIndex = 1;
  list.dispatchEvent(new Event("input", { bubbles: true })); list.dispatchEvent(new Event("change", { bubbles: true }));
  await wait(() => paths("timeline") && paths("timeline") !== seen.timeline);
  const head = all("#table-stream th").findIndex((cell) => cell.dataset.name === "bandwidth_bytes_per_s");
  all("#table-stream th")[head].click();
  seen.sorted = cells(head).map(Number);
  document.execCommand = (command) => { seen.copied = document.activeElement.value; return true; };
  navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  document.querySelector("[data-do=csv][data-table=table-stream]").click();
  await wait(() => seen.copied);
  seen.faded = {};
  for (const figure of ["scaling", "staircase", "loaded_latency", "timeline"]) {
    const chart = `.chart[data-figure=${figure}] svg`;
    const faded = () => all(`${chart} .role-mark path`).filter((p) => p.getAttribute("opacity") < 0.5);
    const before = faded().length;
    const entry = document.querySelector(`${chart} .role-legend-symbol path`);
    for (const type of ["pointerdown", "pointerup", "click"]) {
      entry.dispatchEvent(new PointerEvent(type, { bubbles: true }));
    }
    await pause(150);
    seen.faded[figure] = faded().length > before;
  }
  const zoom = async (ctrlKey) => {
    const chart = document.querySelector(".chart[data-figure=loaded_latency] svg"), box = chart.getBoundingClientRect();
    const was = paths("loaded_latency");
    const place = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    const inside = chart.querySelector(".background");
    inside.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, deltaY: -200, ctrlKey, ...place }));
    await pause(150);
    return paths("loaded_latency") !== was;
  };
  seen.wheel = [await zoom(false), await zoom(true)];
  document.getElementById("theme").click();
  seen.theme = document.documentElement.dataset.theme ?? "auto";
  seen.ink = getComputedStyle(document.body).color;
  delete seen.before; delete seen.timeline;
  const out = document.createElement("output");
  out.id = "seen"; out.textContent = JSON.stringify(seen);
  document.body.append(out);
})();
"""


class Tags(HTMLParser):
    """The names of all elements, attributes and texts being no part of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.names.append(tag)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


def opened(browser: str, tmp_path: Path, text: str, *flags: str, anchor: str = "") -> str:
    """The document after all scripts have run."""
    page = tmp_path / "report.html"
    page.write_text(text)
    command = [browser, *FLAGS, *flags, f"--user-data-dir={tmp_path}/profile", f"file://{page}{anchor}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=True).stdout


def root_of(dom: str) -> dict[str, str]:
    tag = re.search(r"<html[^>]*>", dom)
    assert tag, dom[:200]
    return dict(re.findall(r'data-([a-z]+)="([^"]*)"', tag.group()))


@pytest.mark.parametrize("width", [1400, 420])
def test_every_figure_is_drawn_without_an_error(browser: str, tmp_path: Path, run: Run, width: int) -> None:
    dom = opened(browser, tmp_path, html.render(gather(run)), f"--window-size={width},3000")
    assert root_of(dom).get("errors") is None
    names = [drawing.figure.name for drawing in gather(run).drawings]
    assert {"groups", "loaded_latency", "scaling", "staircase", "timeline"} <= set(names)
    assert root_of(dom)["drawn"] == str(len(names))
    charts = re.findall(r'<div class="chart[^"]*" data-figure="([a-z_]+)"[^>]*>\s*<svg', dom)
    assert sorted(charts) == sorted(names)
    assert "could not be drawn" not in dom.split("<script", 1)[0]


def test_every_control_of_the_page_works(browser: str, tmp_path: Path, run: Run) -> None:
    text = html.render(gather(run)).replace("</body>", f"<script>{ACT}</script></body>")
    text = text.replace("script-src ", f"script-src {hash_of(ACT)} ")
    dom = opened(browser, tmp_path, text, "--window-size=1200,3000")
    assert root_of(dom).get("errors") is None
    found = re.search(r'<output id="seen">(.*?)</output>', dom)
    assert found, root_of(dom)
    seen = json.loads(found.group(1))
    assert seen["choices"] >= 4
    assert seen["sorted"] == sorted(seen["sorted"])
    rows = seen["copied"].splitlines()
    assert rows[0].startswith("kernel,threads,target,footprint_bytes,bandwidth_bytes_per_s")
    assert len(rows) == 1 + len(gather(run).rows("stream"))
    wanted = {float(str(row["bandwidth_bytes_per_s"])) for row in gather(run).rows("stream")}
    assert {float(row.split(",")[4]) for row in rows[1:]} == wanted
    assert seen["faded"] == {"scaling": True, "staircase": True, "loaded_latency": True, "timeline": True}
    assert seen["wheel"] == [False, True]  # a plain wheel scrolls the page
    assert seen["theme"] == "light"


INJECTED = """<script>document.documentElement.dataset.evil = "script"</script>
<button id="trap" onclick="document.documentElement.dataset.evil = 'handler'">x</button>
<style>body { color: rgb(1, 2, 3) !important }</style>
"""
TRAP = """
document.getElementById("trap").click();
const out = document.createElement("output");
out.id = "seen"; out.textContent = getComputedStyle(document.body).color;
document.body.append(out);
"""


def test_text_that_enters_the_page_another_way_does_not_run(browser: str, tmp_path: Path, run: Run) -> None:
    text = html.render(gather(run)).replace("</body>", f"{INJECTED}<script>{TRAP}</script></body>")
    allowed = text.replace("script-src ", f"script-src {hash_of(TRAP)} ")
    dom = opened(browser, tmp_path, allowed)
    assert "evil" not in root_of(dom)
    colour = re.search(r'<output id="seen">(.*?)</output>', dom)
    assert colour
    assert colour.group(1) != "rgb(1, 2, 3)"
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)  # the test can fail
    assert root_of(opened(browser, tmp_path, free))["evil"] in ("script", "handler")


def test_the_policy_refuses_nothing_of_the_page_itself(browser: str, tmp_path: Path, run: Run) -> None:
    """A refusal by a policy is a message on the console, which a browser that logs writes to standard error."""
    assert messages(browser, tmp_path, html.render(gather(run))) == []
    (drawing, *_) = gather(run).drawings
    beside = Beside(heads=("x",), rows=(("1",),))
    assert messages(browser, tmp_path, figure_page(drawing.spec, beside)) == []
    assert messages(browser, tmp_path, html.side_by_side([run, run]).decode()) == []
    refused = messages(browser, tmp_path, html.render(gather(run)).replace("</body>", "<script>1</script></body>"))
    assert "Content Security Policy" in refused[0]


def messages(browser: str, tmp_path: Path, text: str) -> list[str]:
    page = tmp_path / "page.html"
    page.write_text(text)
    command = [browser, *FLAGS, "--enable-logging=stderr", f"--user-data-dir={tmp_path}/profile", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=True)
    lines = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return [line for line in lines if "WARN Using discrete channel" not in line]  # Vega-Lite's opinion of a chart


def test_the_address_chooses_the_theme(browser: str, tmp_path: Path, run: Run) -> None:
    assert root_of(opened(browser, tmp_path, html.render(gather(run)), anchor="#dark"))["theme"] == "dark"


def test_hostile_names_stay_names(browser: str, tmp_path: Path) -> None:
    dom = opened(browser, tmp_path, html.render(gather(evil_run(tmp_path / "run"))))
    assert "evil" not in root_of(dom)
    assert root_of(dom).get("errors") is None
    tags = Tags(dom).names
    assert tags.count("svg") >= 4
    assert "img" not in tags
