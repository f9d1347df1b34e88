"""The page of 10,000 hosts in Chromium: under 3 MB, and sorted, searched and hovered over by a pointer."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from devtools import Browser
from tierscope.fleet.outliers_result import Group, MetricSize, Outliers, Size, Suspect
from tierscope.fleet.page import Fleet, Machine, write_pages
from tierscope.fleet.trend_result import Trend

pytestmark = pytest.mark.browser
HOSTS, GROUPS = 10_000, 8
MOST_BYTES = 3_000_000
ROWS = "[...document.querySelectorAll('#rows tr')]"
FIRST = f"{ROWS}.map((row) => row.cells[0].textContent)"


def name_of(number: int) -> str:
    return f"rack{number // 40:03d}-node{number % 40:02d}.cluster.example.org"


def group_of(number: int) -> str:
    return (
        f"plan sku=EPYC-{number % GROUPS} family=25:17:1 dimms=12x64GiB@4800 bios=1.{number % GROUPS} kernel=6.1.0-28"
    )


def fleet() -> Fleet:
    """Return 10,000 hosts in eight groups; 40 hosts are suspects."""
    scores = np.random.default_rng(3).normal(0, 0.008, HOSTS)
    scores[::250] -= 0.08
    suspects = tuple(suspect(number, float(scores[number])) for number in range(0, HOSTS, 250))
    groups = tuple(
        Group(
            name=group_of(n), facts={}, machines=HOSTS // GROUPS, spread=0.008, sees=0.03, sees_one=0.045,
            efficiency=0.8, slower_than_before=None, modes_apart=None, slow_share=None, covariate=None,
        )
        for n in range(GROUPS)
    )  # fmt: skip
    found = Outliers(
        day="2026-01-07", window_days=7, plan="p", machines=HOSTS, metrics=22, suspects=suspects, groups=groups,
        wrong=(), inefficient=(), listed=(), scores={f"m{n}": float(score) for n, score in enumerate(scores)},
        origin="synthetic",
    )  # fmt: skip
    machines = [Machine(name_of(n), f"m{n}", group_of(n)) for n in range(HOSTS)]
    quiet = Trend(first="2026-01-01", last="2026-01-07", days=7, machines=HOSTS, changes=(), groups=(), listed=())
    return Fleet("made", found, quiet, machines, {}, {})


def suspect(number: int, score: float) -> Suspect:
    size = Size(-math.expm1(score), -math.expm1(score + 0.01), -math.expm1(score - 0.01))
    return Suspect(
        host=name_of(number), machine=f"m{number}", group=group_of(number), verdict="slower", slower=size,
        metrics=(MetricSize("all", size, 9.0, confirmed=True),), sessions=3, tested=True,
        reason="slower than its peers",
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fleet") / "fleet.html"
    write_pages(fleet(), path)
    return path


@pytest.fixture
def opened(browser: str, page: Path, tmp_path: Path) -> Iterator[Browser]:
    with Browser(browser, tmp_path, page) as one:
        yield one


def test_the_page_of_10000_hosts_is_below_3_mb_and_shows_200_rows_at_first(page: Path, opened: Browser) -> None:
    assert page.stat().st_size < MOST_BYTES
    assert opened.value(f"{ROWS}.length") == 200
    assert opened.value("document.getElementById('count').textContent") == "10000 machines, the first 200 are shown"
    assert opened.value("performance.getEntriesByType('resource').length") == 0  # nothing is requested


def test_a_click_on_a_head_sorts_and_a_second_one_turns_the_order(opened: Browser) -> None:
    shares = f"{ROWS}.map((row) => parseFloat(row.cells[2].textContent))"
    first = opened.value(shares)
    assert first == sorted(first)
    assert first[0] < -5
    opened.click('#heads button[data-by="2"]')
    turned = opened.value(shares)
    assert turned == sorted(turned, reverse=True)
    assert turned[0] > 2
    opened.click('#heads button[data-by="0"]')
    names = opened.value(FIRST)
    assert names == [name_of(number) for number in range(200)]
    assert opened.value("document.querySelector('#heads [aria-sort]').textContent") == "Machine"


def test_typed_text_is_searched_in_names_groups_and_verdicts(opened: Browser) -> None:
    opened.click("#search")
    opened.type("rack025-node0")
    assert sorted(opened.value(FIRST)) == [name_of(1000 + number) for number in range(10)]
    opened.type("0 slower")
    assert opened.value(FIRST) == [name_of(1000)]
    assert opened.value("document.getElementById('count').textContent") == "1 machine"
    link = opened.value("document.querySelector('#rows a').getAttribute('href')")
    assert re.fullmatch(r"fleet-hosts/[0-9a-f]{16}\.html", link)


def test_a_row_under_the_pointer_is_marked_and_has_its_group_as_a_note(opened: Browser) -> None:
    colour = "getComputedStyle(document.querySelector('#rows tr')).backgroundColor"
    before = opened.value(colour)
    opened.hover("#rows tr")
    assert opened.value("document.querySelector('#rows tr').matches(':hover')")
    assert opened.value(colour) != before
    note = opened.value("document.querySelector('#rows tr:hover').title")
    assert "slower; plan sku=EPYC" in note


def test_a_suspect_in_a_figure_has_its_name_as_a_note_under_the_pointer(opened: Browser) -> None:
    for selector, note in (
        ("[aria-label*=rack]", r"rack[0-9]{3}-node[0-9]{2}"),
        ("[aria-label*=machine]", r"-?[0-9.]+ % to -?[0-9.]+ %: [0-9]+ machines?"),
    ):
        opened.hover(f"#groups svg path{selector}")
        found = opened.value(
            f"(() => {{ const one = document.querySelector('#groups svg path{selector}').getBoundingClientRect();"
            "return document.elementFromPoint(one.x + one.width / 2, one.y + one.height / 2)"
            ".querySelector('title')?.textContent; })()"
        )
        assert re.fullmatch(note, (found or "").removesuffix(".cluster.example.org")), found
