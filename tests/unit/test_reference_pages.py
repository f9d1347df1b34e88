"""The reference pages are what the code makes; `nox -s reference` makes them again."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, ClassVar

import click
import msgspec
import pytest
from msgspec import Meta
from msgspec.inspect import StructType

from tierscope.cli import markup
from tierscope.cli.commands import commands
from tierscope.cli.help import Command
from tierscope.cli.reference import Part, doctor, files, grid, made, parts, replaced, rows
from tierscope.cli.reference.command_line import keys, options_of, section, suite_section
from tierscope.doctor.check import Check, checks, good
from tierscope.errors import Exit, UsageError
from tierscope.fio.engine import ENGINES
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.kernels import FENCES
from tierscope.plans.kinds import Help, Size
from tierscope.plans.options import own_options
from tierscope.record import samples, warn
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.record.program import BIN, BIN_MEANINGS
from tierscope.record.result import Manifest, Result, Run
from tierscope.record.samples import BLOCK, BLOCK_MEANINGS
from tierscope.tables import Insight, JudgedRow, Main, Plain, tables
from tierscope.tables.rows import Col, Time

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted({parts[name].page for name in parts})


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    return made(ROOT)


@pytest.mark.parametrize("name", FILES)
def test_a_committed_page_is_what_the_code_makes(texts: dict[Path, str], name: str) -> None:
    same = (ROOT / name).read_text() == texts[ROOT / name]  # no diff of long pages
    assert same, f"{name} differs from the code; run `nox -s reference`, or python -m tierscope.cli.reference"


def test_the_pages_are_written_below_another_root(tmp_path: Path) -> None:
    from tierscope.cli.reference.__main__ import main

    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    page = tmp_path / "docs/reference/cli.md"
    page.write_text(page.read_text().replace("Print only errors.", "Print nothing."))
    assert main([str(tmp_path)]) == 0
    assert page.read_text() == (ROOT / "docs/reference/cli.md").read_text()


def test_a_page_that_lacks_a_region_is_refused() -> None:
    with pytest.raises(UsageError, match="page.md lacks the region suites"):
        replaced("# Title\n", Part("suites", "page.md", lambda: ""))


def test_the_prose_around_a_region_stays() -> None:
    page = "before\n\n<!-- made from the code: x -->\n\nold\n\n<!-- end of x -->\n\nafter\n"
    assert replaced(page, Part("x", "page.md", lambda: "new")) == page.replace("old", "new")


def test_a_new_command_appears_with_options_status_and_examples() -> None:
    @click.command(cls=Command, examples=("tierscope weigh runs/A",), status={4: "too light"})
    @click.argument("directory")
    @click.option("--least", metavar="SHARE", default=0.5, show_default=True, help="Least [weight](x.md), as `0.5`.")
    @click.option("--json", "as_json", is_flag=True, help="Print rows.")
    def weigh(directory: str, least: float, as_json: bool) -> None:
        """Weigh the run in DIRECTORY.

        Uses `scales`.
        """

    text = section("weigh", weigh)
    assert text.startswith("## `weigh`\n\n    tierscope weigh [OPTIONS] DIRECTORY\n\nWeigh the run in DIRECTORY.\n\n")
    assert "| `--least SHARE` | Least [weight](x.md), as `0.5`. Default: 0.5. |" in text
    assert "| `--json` | Print rows. |" in text
    assert "| 4 | too light |" in text
    assert "$ tierscope weigh runs/A" in text
    assert weigh.params[1].help == "Least weight, as 0.5."  # type: ignore[attr-defined] (an Option)


def test_a_new_suite_appears_with_its_options() -> None:
    class WeightOptions(SuiteOptions, frozen=True, kw_only=True):
        target: Annotated[Target, Help("location")] = Target()
        array: Annotated[Size | None, Help("bytes; auto: `1GiB`")] = None

    def plan(_machine: Machine, _chosen: WeightOptions) -> Plan:
        yield from ()

    text = suite_section(Suite("weight", "weight of a bit", WeightOptions, plan, details="Needs scales."))
    assert text.startswith("### weight\n\nWeight of a bit. Needs scales.\n\n")
    assert "| `target` | node:0 | location |\n| `array` | auto | bytes; auto: `1GiB` |" in text


@pytest.mark.parametrize("name", sorted(commands))
def test_every_option_of_a_command_has_a_help(name: str) -> None:
    assert [flag for flag, told in options_of(commands[name]) if not told] == []
    assert isinstance(commands[name], Command)


@pytest.mark.parametrize("name", sorted(suites))
def test_every_option_of_a_suite_has_a_help(name: str) -> None:
    assert [option.name for option in own_options(suites[name].options) if not option.help] == []
    assert keys(own_options(suites[name].options)).count("\n") == len(own_options(suites[name].options)) + 1


@pytest.mark.parametrize("name", sorted(checks))
def test_every_check_of_the_doctor_reports_what_it_looks_at_and_what_to_do(name: str) -> None:
    assert all(doctor.row(checks[name]))


def test_a_new_check_appears_with_its_topics() -> None:
    own = Check("tides", ("latency",), lambda _: good("low"), looks_at="the sea", advice="wait")
    assert doctor.row(own) == ("`tides`", "latency", "the sea", "wait", "no")


@pytest.mark.parametrize("name", sorted(tables))
def test_every_column_and_insight_of_a_table_has_a_meaning(name: str) -> None:
    table = tables[name]
    assert table.about.startswith("One row for each ")
    assert [column.name for column in table.columns if not rows.meaning(column)] == []
    assert [insight for insight, text in table.says.items() if not text] == []
    assert "table" not in {column.name for column in table.columns}  # rows of the document have it, too


def test_every_insight_in_the_code_has_a_meaning() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src/tierscope/suites").rglob("*.py"))
    made_there = set(re.findall(r'Insight(?:\(|\.of\(\s*[\w.]+,)\s*name=f?"(\w+)', source)) | set(
        re.findall(r'(?:_(?:seconds|insight)\(\s*"(?=\w)|: \("(?=core_))(\w+)"', source)
    )
    stated = {re.split(r"[ ]|_N$", name)[0] for each in tables for name in tables[each].says}
    assert stated == {name.removesuffix("_") for name in made_there}
    assert len(made_there) > 8


class TidesRow(JudgedRow, frozen=True, kw_only=True):
    """A tide."""

    moon: Annotated[str, Col("moon", help="its phase")]
    height: Annotated[Time | None, Col("height", help="median")]


class Tides:
    """One row for each tide.

    A tide is [a wave](x.md).
    """

    name = "tides"
    title = "Tides"
    keys = ("moon",)
    main = (Main("height_s"),)
    row = TidesRow
    says: ClassVar[dict[str, str]] = {"flood MOON": "the highest | of all"}

    def rows(self, run: Run) -> list[TidesRow]: ...  # type: ignore[empty-body]

    def insights(self, run: Run, rows: list[TidesRow]) -> list[Insight]: ...  # type: ignore[empty-body]


def test_a_new_table_appears_with_columns_insights_and_points() -> None:
    table = Plain(Tides())
    text = rows.section(table)
    assert text.startswith("### `tides`\n\nOne row for each tide.\n\nA tide is [a wave](x.md).\n\n")
    assert "| `moon` |  | its phase |\n| `height_s` | s | median |\n| `height_low` | s | lower bound |" in text
    assert "conclusive" not in text
    assert rows.insights(table) == [("`flood MOON`", "`tides`", "the highest | of all")]
    assert r"the highest \| of all" in grid("a | b | c", rows.insights(table))
    assert rows.points(table) == ("`tides`", "`moon`", "`height_s`")


@pytest.mark.parametrize("kind", files.structs(Manifest, Result), ids=lambda kind: str(kind.cls.__name__))
def test_every_key_of_the_stored_files_has_a_meaning(kind: StructType) -> None:
    assert [field.encode_name for field in kind.fields if not files.meaning(field)] == []


def test_the_types_are_those_of_the_schema() -> None:
    names = [kind.cls.__name__ for kind in files.structs(Manifest, Result)]
    assert sorted(names) == sorted(msgspec.json.schema_components([Manifest, Result])[1])
    assert names[0] == "Manifest"


def test_a_new_type_appears_with_its_keys_behind_the_one_that_contains_it() -> None:
    class Wave(msgspec.Struct, tag="wave", tag_field="kind"):
        """One wave."""

        height: Annotated[float | None, Meta(description="of its top")] = None

    class Swell(msgspec.Struct, tag="swell", tag_field="kind"):
        """One swell."""

        length: Annotated[float, Meta(gt=0), Meta(description="from top to top")]

    class Sea(msgspec.Struct):
        """A sea."""

        waves: Annotated[dict[str, tuple[Wave | Swell, ...]], Meta(description="by [name](#wave)")]

    kinds = files.structs(Sea)
    assert [kind.cls for kind in kinds] == [Sea, Wave, Swell]
    assert files.section(kinds[0]).endswith("\n| `waves` | by [name](#wave) |")
    assert "## `Wave`\n\nOne wave.\n\n" in files.section(kinds[1])
    assert files.section(kinds[2]).endswith("| `kind` | `swell` |\n| `length` | from top to top |")


def test_every_column_and_flag_of_samples_and_bins_has_a_meaning() -> None:
    assert tuple(BLOCK_MEANINGS) == BLOCK.names
    assert tuple(BIN_MEANINGS) == BIN.names
    named = {name: getattr(samples, name) for name in ("SIZING", "PREEMPTED", "STOLEN", "DRIFTED", "MIGRATED")}
    assert {name: bit for name, (bit, _) in samples.FLAGS.items()} == named


def test_every_code_of_a_warning_has_a_meaning() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src/tierscope").rglob("*.py"))
    assert set(re.findall(r'Warn\(\s*code="(\w+)"', source)) == set(files.meanings_of_codes())


def test_a_code_has_one_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warn, "codes", {"busy": "many"})
    warn.state(busy="many", dry="none")
    assert warn.codes == {"busy": "many", "dry": "none"}
    with pytest.raises(ValueError, match="the code dry of a warning has two meanings"):
        warn.state(dry="few")


def test_every_exit_status_has_a_meaning() -> None:
    assert [status for status in Exit if not status.meaning] == []
    assert Exit(70) is Exit.INTERNAL
    assert int(Exit.INTERRUPTED) == 130


def test_marks_become_plain_text_and_roff() -> None:
    text = "See [how](../how-to/x.md#y). **Bold** `--flag`, and [link](json.md)."
    assert markup.plain(text) == "See docs/how-to/x.md. Bold --flag, and link."
    assert markup.roff(text) == r"See \fBdocs/how\-to/x.md\fR. \fBBold\fR \fB\-\-flag\fR, and link."
    assert markup.roff(".x 'y' a\\b") == r"\&.x \(aqy\(aq a\(rsb"


@pytest.mark.parametrize(
    ("suite", "option", "names"),
    [
        ("flush", "fence", FENCES),
        ("neighbors", "aggressor_fence", FENCES),
        ("storage", "engine", ENGINES),
    ],
)
def test_the_help_of_an_option_names_what_it_accepts(suite: str, option: str, names: Iterable[str]) -> None:
    text = next(one.help for one in own_options(suites[suite].options) if one.name == option)
    assert [name for name in names if f"`{name}`" not in text] == []
