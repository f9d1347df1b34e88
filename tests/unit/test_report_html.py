"""The page: complete, small, without a request, and safe against what names may contain."""

import base64
import gzip
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from reported import EVIL, changed, evil_run, small_run
from tierscope.printable import printable
from tierscope.record.result import Run, Warn
from tierscope.report.content import gather
from tierscope.report.formats import html as page_of
from tierscope.report.formats import write
from tierscope.report.view import MOST_CELLS

LIMIT = 1_500_000
REQUESTS = {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping", "cite", "manifest"}


class Page(HTMLParser):
    """Elements with their attributes, tables as lists of rows, and the text of scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: dict[str, int] = {}
        self.scripts: dict[str, str] = {}
        self.said: list[str] = []
        self._table = self._script = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        found = dict(attrs)
        if tag == "table":
            self._table = str(found["id"])
            self.rows[self._table] = -1  # the head is a row too
        if tag == "tr":
            self.rows[self._table] += 1
        self._script = str(found.get("id", "last")) if tag == "script" else "-style" if tag == "style" else ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        else:
            self.said.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._script = ""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def text(run: Run) -> str:
    return page_of.render(gather(run))


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of.render(gather(evil_run(tmp_path_factory.mktemp("evil"))))


def test_the_page_is_small(text: str) -> None:
    assert len(text.encode()) < LIMIT


def test_nothing_in_the_page_asks_for_anything(page: Page) -> None:
    asked = [value for _, attributes in page.elements for name, value in attributes.items() if name in REQUESTS]
    assert all(value is not None and value.startswith("#") for value in asked)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.elements}
    assert not re.search(r"url\(|@import", page.scripts["-style"])


def test_a_policy_forbids_every_request_and_every_evaluation(page: Page) -> None:
    (policy,) = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert not {"connect-src", "font-src", "frame-src"} & set(rules)
    assert "unsafe-eval" not in str(policy)


def test_no_address_of_the_network_is_anywhere_but_in_names_of_formats(text: str, page: Page) -> None:
    bundle = gzip.decompress(base64.b64decode(page.scripts["bundle"])).decode()
    for part in (text, bundle):
        assert {m.split("/")[0] for m in re.findall(r"https?://([^\"'\s)]+)", part)} <= {"www.w3.org"}
    assert "window.vegaEmbed" in bundle


def test_every_table_is_there_with_all_its_rows(run: Run, page: Page) -> None:
    wanted = {f"table-{s.name}": len(s.rows) for s in gather(run).sections.values() if s.name != "series"}
    wanted["table-experiments"] = sum(len(record.groups) for record in run.result.records)
    assert {name: rows for name, rows in page.rows.items() if name != "keys"} == wanted


def test_every_figure_has_its_chart_table_command_and_csv_button(run: Run, page: Page) -> None:
    charts = [a["data-figure"] for _, a in page.elements if a.get("class") == "chart"]
    known = ["scaling", "staircase", "loaded_latency", "timeline", "groups"]
    assert charts == [drawing.figure.name for drawing in gather(run).drawings]
    assert [name for name in charts if name in known] == known
    assert set(json.loads(page.scripts["specs"])) == set(charts)
    assert sum(1 for _, a in page.elements if a.get("data-do") == "csv") == len(charts) + 1
    commands = [a["data-text"] for _, a in page.elements if a.get("data-do") == "copy"]
    assert {
        "tierscope run quick",
        "tierscope run stream",
        "tierscope run latency",
        "tierscope run loaded-latency",
    } <= set(commands)


def test_a_row_reads_back_from_the_data_of_the_page(run: Run, page: Page) -> None:
    packed = json.loads(page.scripts["specs"])["scaling"]["data"]["values"]
    points = [dict(zip(packed["columns"], row, strict=True)) for row in packed["packed"]]
    rows = gather(run).rows("stream")
    assert [point["kernel"] for point in points] == [row["kernel"] for row in rows]
    assert [point["gb"] for point in points] == pytest.approx(
        [row["bandwidth_bytes_per_s"] / 1e9 for row in rows], rel=1e-4
    )


def test_a_finding_is_shown_once_and_linked_to_where_it_touches(text: str) -> None:
    parts = text.split('<section class="part')
    holding = [part.split('id="')[1].split('"')[0] for part in parts[1:] if "0.7 % of the time stolen" in part]
    linking = [part.split('id="')[1].split('"')[0] for part in parts[1:] if 'href="#finding-steal"' in part]
    assert (linking, holding) == (["scaling", "loaded_latency"], ["findings"])


def test_the_verdict_comes_first_with_its_numbers(text: str, page: Page) -> None:
    assert (
        text.index('id="verdict"') < text.index('id="scaling"') < text.index('id="machine"') < text.index('id="method"')
    )
    said = " ".join(page.said)
    assert "Memory: 56.1 GB/s copied, 230 ns idle" in said
    assert "What limits me?" in said
    assert page.rows["keys"] >= 3


def test_colours_are_set_for_light_dark_by_hand_and_for_paper() -> None:
    rules = page_of.colours()
    assert rules.count("--ink:") == 4
    assert "prefers-color-scheme:dark" in rules
    assert "[data-theme=dark]" in rules
    assert rules.index("@media print") > rules.index("[data-theme=dark]{")


def test_equal_runs_give_equal_pages(run: Run, text: str) -> None:
    again = msgspec.structs.replace(run)  # another object, so nothing is remembered
    assert page_of.render(gather(again)) == text


def test_no_text_of_a_run_becomes_markup(evil: str) -> None:
    page = Page(evil)
    assert "img" not in {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert evil.count("<script") == evil.count("</script>") == 4  # data, licences, libraries, ours
    assert printable(EVIL) in "".join(page.said)


def test_no_text_of_a_run_is_run_as_template(text: str, evil: str) -> None:
    assert evil.count("{{7*7}}") > 20
    assert "{{" not in text


def test_data_in_a_script_cannot_end_it() -> None:
    value = {"a": "</script><!--<script>", "b": "\u2028&"}
    text = page_of.script_json(value)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_another_origin_is_in_the_name_the_title_and_on_the_page(tmp_path: Path) -> None:
    run = changed(small_run(tmp_path), origin="emulated")
    (path,) = write("html", run, tmp_path / "out")
    assert path.name == "report-emulated.html"
    text = path.read_text()
    assert "<title>EMULATED: " in text
    assert "EMULATED: these numbers are not measurements of hardware" in text


def test_a_run_without_a_record_still_makes_a_page(tmp_path: Path) -> None:
    run = changed(small_run(tmp_path), records=(), complete=False)
    text = page_of.render(gather(run))
    assert "no finished experiment yet" in text
    assert "tierscope resume" in text


def test_a_huge_run_keeps_the_page_below_its_limit(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    records = tuple(
        msgspec.structs.replace(record, number=number, warnings=(Warn(code="x", message="a" * 80, next_step="b"),))
        for number, record in enumerate(run.result.records * 30)
    )
    run = changed(run, records=records)
    text = page_of.render(gather(run))
    assert sum(len(record.groups) for record in records) * 17 > MOST_CELLS
    assert len(text.encode()) < LIMIT
    assert f"groups of {sum(len(record.groups) for record in records)}" in text
    assert "rows, as drawn" in text


def test_every_word_of_the_method_that_applies_is_reported(page: Page) -> None:
    said = html.unescape(" ".join(page.said))
    for word in ("Blocks and what is left out", "Bandwidth", "Latency over footprint", "Latency under load", "Groups"):
        assert word in said


def test_a_warning_of_many_records_is_reported_once(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    warn = Warn(code="moved", message="pages moved", next_step="bind them")
    records = tuple(msgspec.structs.replace(record, warnings=(warn,)) for record in run.result.records)
    text = page_of.render(gather(changed(run, records=records)))
    assert text.count("pages moved") == 1
    assert f"#0, #1, #2, #3, #4, #5, #6, #7 and {len(records) - 8} more" in text
