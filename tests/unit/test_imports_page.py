"""A page of an imported run shows what the other tool did, and that its machine is unknown."""

from html import unescape
from pathlib import Path

import pytest

from said import say
from tierscope.imports import importers
from tierscope.record.result import load
from tierscope.report.content import gather
from tierscope.report.formats import formats, write
from tierscope.report.method import NOT_KNOWN

DATA = Path(__file__).parents[1] / "data/imports"
FILES = {"fio": "fio.json", "likwid_bench": "likwid-bench.txt", "mlc": "mlc.txt", "multichase": "multichase.txt",
         "perf_stat": "perf.txt", "pmembench": "pmembench.csv", "stream_c": "stream.txt"}  # fmt: skip
OURS = (
    "blocks of about 1 ms",
    "median over the moments",
    "Hypervisor: none found",
    "none found",
    "0 logical",
    "0 cores",
)


@pytest.mark.parametrize("name", FILES)
def test_no_output_of_an_imported_run_claims_our_method_or_a_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    status, terminal, _ = say(capfd, "import", str(DATA / FILES[name]), "--as", name, "--out", str(tmp_path / "run"))
    assert status == 0
    run = load(tmp_path / "run")
    written = [path.read_text() for each in ("html", "markdown") for path in write(each, run, tmp_path / each)]
    sets = ("csv",) if name == "perf_stat" else ("markdown", "html", "csv")  # counts have no bandwidth and no latency
    exported = [formats.export(each).render([run]).decode() for each in sets]
    for text in (terminal, *written, *exported):
        assert [word for word in OURS if word in text] == []
    page, markdown = unescape(written[0]), written[1]
    assert "machine not known" in page
    assert page.count("not known") > 10
    assert run.result.method == importers[name].read((DATA / FILES[name]).read_text()).method != ""
    words = " ".join(run.result.method.split()[:4])
    assert (words in page, words in markdown, NOT_KNOWN in page) == (True, True, False)


def test_a_run_that_was_imported_before_methods_were_kept_reports_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    say(capfd, "import", str(DATA / "fio.json"), "--out", str(tmp_path / "run"))
    path = tmp_path / "run/result.json"
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.lstrip().startswith('"method":')]
    assert len(kept) == len(lines) - 1
    text = "".join(kept).rstrip()
    path.write_text(text.replace(",\n}", "\n}"))
    (page,) = write("html", load(tmp_path / "run"), tmp_path / "html")
    assert NOT_KNOWN in page.read_text()


def test_every_option_of_a_fio_job_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, terminal, _ = say(capfd, "import", str(DATA / "fio.json"), "--out", str(tmp_path / "run"))
    assert "4 KiB" in terminal
    (row, *_) = gather(load(tmp_path / "run")).sections["imported"].rows
    for word in ("iodepth 4", "rwmixread 70", "runtime 1", "size 8m", "pattern randrw", "direct 1"):
        assert word in str(row["setting"])
    assert row["operation_bytes"] == 4096
