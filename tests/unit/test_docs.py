"""The documents tell the truth: links, commands, options, keys and names are held against the program."""

import re
import shutil
import subprocess
from pathlib import Path

import click
import msgspec
import pytest

from documents import Block, anchors, blocks, command_lines, fault, names, pages, sections
from tierscope.cli.commands import commands
from tierscope.cli.main import EPILOG
from tierscope.doctor.check import BANDWIDTH, EVERY, NONE, checks
from tierscope.errors import Exit, UsageError
from tierscope.host import cxl
from tierscope.host.persistent import facts
from tierscope.plans import COMMON, Option, suites
from tierscope.record import counting, experiment, machine, program, reading, result, timing
from tierscope.suites.groups.experiments import GROUP_KEYS, read_groups
from tierscope.tables import Column, tables
from tierscope.tables.measured import CLOSING

ROOT = Path(__file__).resolve().parents[2]
PAGES = [str(path.relative_to(ROOT)) for path in pages(ROOT)]
STRUCTS = sorted(msgspec.json.schema_components([result.Manifest, result.Result])[1])


def read(name: str) -> str:
    return (ROOT / name).read_text()


def fenced(language: str) -> list[object]:
    """Every block of one language on any page, as parameters of a test."""
    found = [(page, block) for page in PAGES for block in blocks(read(page)) if block.language == language]
    return [pytest.param(block, id=f"{page}:{block.line}") for page, block in found]


# --- links, commands, names ---


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", read(page))):
        if re.match(r"https?://", target):
            continue
        place, _, anchor = target.partition("#")
        path = (ROOT / page).parent / place if place else ROOT / page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path.read_text()), target


def test_every_page_can_be_reached() -> None:
    linked = {
        ((ROOT / page).parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", read(page))
    }
    unreached = {
        page
        for page in PAGES
        if page.startswith("docs/") and (ROOT / page) not in linked and not page.startswith("docs/decisions/")
    }
    assert unreached == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_would_be_accepted(page: str) -> None:
    refused = {" ".join(words): why for words in command_lines(read(page)) if (why := fault(words, ROOT))}
    assert refused == {}


def test_commands_are_found_at_all() -> None:
    assert sum(len(command_lines(read(page))) for page in PAGES) > 50


@pytest.mark.parametrize(
    "line",
    [
        "tierscope ruin quick",
        "tierscope run quik",
        "tierscope run stream kernel=triad",
        "tierscope run stream array=1GB/s",
        "tierscope run quick --fast",
        "tierscope compare runs/A",
        "tierscope report runs/A --format pdf",
        "tierscope-core fly",
    ],
)
def test_a_wrong_command_line_is_found(line: str) -> None:
    (words,) = command_lines(f"```console\n$ LANG=C {line} | tail > x\n```\n")
    assert words == line.split()
    assert fault(words, ROOT) != ""


def test_the_readme_has_the_two_commands() -> None:
    text = read("README.md")
    assert "./tierscope run quick" in text
    assert "./tierscope test" in text


@pytest.mark.parametrize("page", [*PAGES, "packaging/man/tierscope.1"])
def test_no_page_names_a_place_of_one_machine(page: str) -> None:
    assert re.findall(r"/root/|/home/\w|/tmp/\w*pv\b", read(page)) == []


# --- what is run ---


@pytest.mark.parametrize("block", fenced("toml"))
def test_every_file_of_groups_is_read(block: Block) -> None:
    assert read_groups(block.text).experiments


@pytest.mark.parametrize("block", fenced("python"))
def test_every_python_example_compiles(block: Block) -> None:
    compile(block.text, "example", "exec")


@pytest.mark.parametrize("block", fenced("sh"))
def test_every_shell_script_parses(block: Block) -> None:
    subprocess.run(["sh", "-n"], input=block.text, text=True, check=True)


# --- reference/cli.md, and the manual page ---


def documented(name: str) -> dict[str, list[list[str]]]:
    return sections(read(f"docs/reference/{name}"))


def _shown(option: Option) -> str:
    return "auto" if option.default is None else option.show()


@pytest.mark.parametrize("suite", sorted(suites))
def test_every_option_of_a_suite_is_documented_with_its_default(suite: str) -> None:
    rows = {row[0]: row[1] for row in documented("cli.md")[suite]}
    assert rows == {option.name: _shown(option) for option in suites[suite].options}


def test_options_that_all_suites_have_are_documented() -> None:
    rows = {row[0]: row[1] for row in documented("cli.md")["Options of the suites"]}
    assert rows == {option.name: _shown(option) for option in COMMON}


def _flags(command: click.Command) -> set[str]:
    return {flag for option in command.params if isinstance(option, click.Option) for flag in option.opts}


@pytest.mark.parametrize("name", sorted(commands))
def test_every_flag_of_a_command_is_documented(name: str) -> None:
    rows = documented("cli.md")[name]
    assert {row[0].split()[0] for row in rows} == _flags(commands[name])
    assert f"[`{name}`](#{name})" in read("docs/reference/cli.md")


def manual() -> str:
    return read("packaging/man/tierscope.1").replace("\\-", "-")


def test_the_manual_page_has_every_command_flag_suite_and_key() -> None:
    text = manual()
    wanted = {*commands, *suites, *(flag for name in commands for flag in _flags(commands[name]))}
    wanted |= {option.name for suite in suites for option in suites[suite].options}
    assert {word for word in wanted if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)} == set()


def test_every_command_line_of_the_manual_page_would_be_accepted() -> None:
    lines = re.findall(r"^\.B (tierscope .*)$", manual(), re.MULTILINE)
    examples = [words for line in lines for words in command_lines(f"```sh\n{line}\n```\n") if len(words) > 1]
    assert len(examples) > 5
    assert [words for words in examples if words[1:] not in (["run"], ["resume"]) and fault(words, ROOT)] == []


def test_the_manual_page_sets_without_a_warning() -> None:
    groff = shutil.which("groff") or pytest.skip("no groff: sudo apt-get install -y groff")
    page = ROOT / "packaging/man/tierscope.1"
    done = subprocess.run([groff, "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "tierscope run quick" in re.sub(".\b", "", done.stdout)


def test_every_variable_of_the_environment_is_documented() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "tierscope", ROOT / "packaging/setup.sh"]
    found = {name for path in sources for name in re.findall(r"(?<!_)TIERSCOPE_[A-Z_]+", path.read_text())}
    told = {row[0] for row in documented("cli.md")["Environment"]}
    assert {name for name in told if name.startswith("TIERSCOPE_")} == found


# --- exit status ---


def test_every_exit_status_is_documented() -> None:
    rows = {int(row[0]): row[1] for row in documented("exit-status.md")["Exit status"]}
    assert rows == {status.value: status.name for status in Exit}


def test_help_and_manual_page_have_every_exit_status() -> None:
    assert {int(number) for number in re.findall(r"^  (\d+) ", EPILOG, re.MULTILINE)} == set(Exit)
    section = manual().partition(".SH EXIT STATUS")[2].partition(".SH")[0]
    assert {int(number) for number in re.findall(r"^\.B (\d+)$", section, re.MULTILINE)} == set(Exit)


# --- reference/json.md ---


def _units(columns: tuple[Column, ...]) -> dict[str, str]:
    return {column.name: column.unit for column in columns}


@pytest.mark.parametrize("name", sorted(tables))
def test_every_key_of_a_row_is_documented_with_its_unit(name: str) -> None:
    own = {row[0]: row[1] for row in documented("json.md")[name]}
    closing = CLOSING if set(CLOSING) <= set(tables[name].columns) else ()
    assert own == {key: unit for key, unit in _units(tables[name].columns).items() if key not in _units(closing)}


def test_the_keys_that_rows_end_with_are_documented() -> None:
    rows = documented("json.md")["Keys at the end of every row"]
    assert {row[0]: row[1] for row in rows} == _units(CLOSING)


@pytest.mark.parametrize("name", sorted(tables))
def test_no_column_hides_the_name_of_its_table(name: str) -> None:
    assert "table" not in _units(tables[name].columns)  # rows of the document carry it beside the columns


def test_every_insight_is_documented() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src/tierscope/suites").rglob("*.py"))
    made = set(re.findall(r'Insight\(\s*name=f?"(\w+)', source)) | set(
        re.findall(r'_(?:seconds|insight)\(\s*"(\w+)"', source)
    )
    rows = {re.split(r"[ ]|_N$", row[0])[0] for row in documented("json.md")["Insights"] if len(row) == 3}
    assert rows == {name.removesuffix("_") for name in made}
    assert len(made) > 8


# --- reference/run-directory.md ---


def _struct(name: str) -> type[msgspec.Struct]:
    homes = (machine, experiment, result, timing, counting, reading, program, facts, cxl)
    kind: type[msgspec.Struct] = next(vars(home)[name] for home in homes if name in vars(home))
    return kind


@pytest.mark.parametrize("name", STRUCTS)
def test_every_key_of_the_files_is_documented(name: str) -> None:
    keys = [field.encode_name for field in msgspec.structs.fields(_struct(name))]
    assert names(documented("run-directory.md")[name]) == keys


def test_every_column_and_flag_of_the_samples_is_documented() -> None:
    rows = {row[0]: row[1] for row in documented("run-directory.md")["Samples"]}
    flags = {name: str(getattr(result, name)) for name in ("SIZING", "PREEMPTED", "STOLEN", "DRIFTED", "MIGRATED")}
    kinds = {name: str(result.BLOCK[name]) for name in result.BLOCK.names or ()}
    assert rows == {**kinds, **flags}


def test_every_column_of_the_bins_is_documented() -> None:
    rows = {row[0]: row[1] for row in documented("run-directory.md")["Bins"]}
    assert rows == {name: str(program.BIN[name]) for name in program.BIN.names or ()}


def test_every_warning_is_documented() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src/tierscope").rglob("*.py"))
    codes = set(re.findall(r'Warn\(\s*code="(\w+)"', source))
    (told,) = (row[1] for row in documented("run-directory.md")["Warn"] if row[0] == "code")
    assert set(re.findall(r"`?(\w+)`:", told)) == codes


# --- reference/plan.md, how-to/own-groups.md, reference/doctor.md ---


def test_every_word_of_a_plan_is_documented() -> None:
    known = re.findall(r'\{"([a-z_]+)",\s+[a-z[{]', read("core/bench/plan.cpp"), re.MULTILINE)
    assert sorted(names(documented("plan.md")["Keys of a group"])) == sorted(known)
    commands_of_a_plan = re.findall(r'\{"(\w+)", &Session::', read("core/cli/session.cpp"))
    assert sorted(names(documented("plan.md")["Lines"])) == sorted(commands_of_a_plan)


def test_every_fact_of_the_core_is_documented() -> None:
    source = "".join(path.read_text() for path in (ROOT / "core/cli").glob("*.cpp"))
    facts = set(re.findall(r'add\("fact", "(\w+)"\)', source))
    assert set(names(documented("plan.md")["Answers"])) == facts


def test_every_key_of_a_file_of_groups_is_documented() -> None:
    told = sections(read("docs/how-to/own-groups.md"))
    assert sorted(names(told["Keys of a group"])) == sorted(GROUP_KEYS)
    schedule = sorted(names(told["Keys of the schedule"]))
    with pytest.raises(UsageError, match=re.escape(f"known: {', '.join(schedule)})")):
        read_groups("[schedule]\nunknown = 1\n[[experiment]]\n")


def test_every_check_of_the_doctor_is_documented_with_what_it_touches() -> None:
    words = {EVERY: "all", BANDWIDTH: "bandwidth", NONE: "none"}
    rows = documented("doctor.md")["The checks of tierscope doctor"]
    told = {row[0]: row[1] for row in rows if row[0] not in ("bad", "note", "unknown", "good")}
    assert told == {name: words[checks[name].touches] for name in checks}
