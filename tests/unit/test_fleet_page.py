"""The pages of a fleet: the verdict in words, no text of a host as markup, no request, and the exports."""

import re
from pathlib import Path

import msgspec
import pytest

from tierscope.fleet.confirm_plan import write_plan
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet, write_sessions
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.outliers import outliers
from tierscope.fleet.page import Fleet, write_pages
from tierscope.fleet.page.load import read_fleet
from tierscope.fleet.page.words import lead

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
