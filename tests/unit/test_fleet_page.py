"""The pages of a fleet: the verdict in words, no text of a host as markup, no request, and the exports."""

import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tierscope.fleet.confirm_plan import write_plan
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet, write_sessions
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.outliers import outliers
from tierscope.fleet.outliers_result import Inefficient, Size
from tierscope.fleet.page import Fleet, write_pages
from tierscope.fleet.page.load import read_fleet
from tierscope.fleet.page.words import lead, unchanged
from tierscope.fleet.session import Session

OPTIONS = ImagineOptions(machines=60, days=3, faults="slow:2", seed=7)
HOSTILE = "</script><b onclick=x>host"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    write_fleet(folder, imagine(OPTIONS))
    return folder


def hostile(fleet: Fleet) -> Fleet:
    """Return a fleet whose first suspect has markup as its name."""
    first, *others = fleet.outliers.suspects
    renamed = msgspec.structs.replace(fleet.outliers, suspects=(msgspec.structs.replace(first, host=HOSTILE), *others))
    machines = [one._replace(host=HOSTILE) if one.machine == first.machine else one for one in fleet.machines]
    return fleet._replace(outliers=renamed, machines=machines, failed={HOSTILE: "it hangs"})


def test_suspects_await_their_sessions_and_are_unsure_after_them(directory: Path) -> None:
    before = outliers(directory)
    assert before.plan is not None
    assert "confirming sessions" in lead(before.result, {})
    write_plan(directory, before.plan)
    write_sessions(
        directory, imagine(OPTIONS), dict.fromkeys([*before.plan.suspects, *before.plan.controls], 3), OPTIONS.days - 1
    )
    after = outliers(directory).result
    assert sum(one.verdict == "slower" for one in after.suspects) >= 2
    assert "slower than their peers" in lead(after, {})
    assert "confirming sessions" not in lead(after, {})
    assert lead(after, {"a": "refused"}).endswith("1 did not answer.")


def test_a_name_is_never_markup_and_nothing_is_requested(directory: Path, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    count = write_pages(hostile(read_fleet(directory)), page)
    texts = [page.read_text(), *(one.read_text() for one in (tmp_path / "fleet-hosts").iterdir())]
    assert len(texts) == 1 + count
    assert count > 0
    for text in texts:
        assert HOSTILE not in text
        assert "<b onclick" not in text
        assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
        assert text.count("<script") == text.count("</script>")
    assert "&lt;b onclick=x&gt;" in texts[0]


def state(directory: Path, day: str, number: int, **words: Any) -> None:
    """Store a session of the plan of imagined fleets."""
    folder = directory / f"sessions/{day}-imagined-{number}"
    folder.mkdir(parents=True)
    hosts: dict[str, dict[str, str]] = {"host00": {}, "gone": {}}
    made = Session(via="local", plan_name="imagined", plan="imagined", day=day, session=number, hosts=hosts, **words)
    (folder / "session.json").write_bytes(msgspec.json.encode(made))


def test_coverage_is_of_the_first_session_of_the_day_and_not_of_a_repeat(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory, tmp_path / "fleet")
    state(tmp_path / "fleet", "2026-01-03", 0, answered={"host00": "-"}, failed={"gone": "it hangs"})
    state(tmp_path / "fleet", "2026-01-03", 3, answered={"host00": "-", "gone": "-"}, begun=9.0)
    found = read_fleet(tmp_path / "fleet")
    assert (found.failed, found.later) == ({"gone": "it hangs"}, "")
    state(tmp_path / "fleet", "2026-01-04", 0)
    later = read_fleet(tmp_path / "fleet")
    assert later.failed == found.failed
    assert later.later == "On 2026-01-04, none of 2 hosts answered."
    write_pages(later, tmp_path / "fleet.html")
    assert "On 2026-01-04, none of 2 hosts answered." in (tmp_path / "fleet.html").read_text()


def test_a_change_is_not_denied_before_a_baseline_is_complete(directory: Path) -> None:
    few = read_fleet(directory).trend
    assert unchanged(few) == "It is not known whether a machine changed."
    assert "a baseline needs 21 days" in few.listed[0].reason
    assert unchanged(msgspec.structs.replace(few, followed=60)).startswith("No machine changed from 2026-01-01 to")


def test_the_first_sentence_names_what_no_peer_can_show(directory: Path, tmp_path: Path) -> None:
    found = outliers(directory).result
    quiet = msgspec.structs.replace(found, suspects=())
    assert lead(quiet, {}) == "No machine of 60 is confirmed to be slower than its peers."
    group = msgspec.structs.replace(found.groups[0], slower_than_before=Size(0.08, 0.07, 0.09))
    low = Inefficient("host01", "m", "g", 0.5, 0.8)
    worse = msgspec.structs.replace(quiet, groups=(group,), inefficient=(low,))
    assert lead(worse, {}) == ("1 machine is far below its peak; 1 group is slower as a whole than in the first days.")
    write_fleet(tmp_path / "few", imagine(ImagineOptions(machines=3, days=1, faults="")))
    few = read_fleet(tmp_path / "few")
    assert lead(few.outliers, {}) == "Not known: none of 3 machines has enough peers to be compared with."
    write_pages(few, tmp_path / "few.html")
    assert "No machine is unlike its peers" not in (tmp_path / "few.html").read_text()


def test_the_page_of_a_machine_that_is_not_a_suspect_any_more_is_removed(directory: Path, tmp_path: Path) -> None:
    fleet, page = read_fleet(directory), tmp_path / "fleet.html"
    count = write_pages(fleet, page)
    (tmp_path / "fleet-hosts/own-notes.html").touch()
    few = msgspec.structs.replace(fleet.outliers, suspects=fleet.outliers.suspects[1:])
    assert write_pages(fleet._replace(outliers=few), page) == count - 1
    assert len(list((tmp_path / "fleet-hosts").glob("*.html"))) == count
    assert (tmp_path / "fleet-hosts/own-notes.html").exists()
