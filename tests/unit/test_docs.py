"""The documents are true: links, commands, options, keys and names are compared with the program."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from documents import Block, anchors, blocks, command_lines, fault, names, pages, sections
from made_work import TASKS
from tierscope.check.file import read_text
from tierscope.errors import UsageError
from tierscope.plans import suites
from tierscope.suites.groups.experiments import GROUP_KEYS, read_groups

ROOT = Path(__file__).resolve().parents[2]
PAGES = [str(path.relative_to(ROOT)) for path in pages(ROOT)]


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


HISTORY = "CHANGELOG.md"  # names commands as they were, without what follows them


@pytest.mark.parametrize("page", [page for page in PAGES if page != HISTORY])
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
        "tierscope export DIR --format csv",
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
def test_every_file_of_groups_or_thresholds_is_read(block: Block) -> None:
    if "[[threshold]]" in block.text:
        asked = read_text(block.text, Path("thresholds.toml"))
        assert suites[asked.suite].read(asked.options)
    else:
        assert read_groups(block.text, TASKS).experiments


@pytest.mark.parametrize("block", fenced("python"))
def test_every_python_example_compiles(block: Block) -> None:
    compile(block.text, "example", "exec")


@pytest.mark.parametrize("block", fenced("sh"))
def test_every_shell_script_parses(block: Block) -> None:
    subprocess.run(["sh", "-n"], input=block.text, text=True, check=True)


# --- the manual page, and the environment ---


def documented(name: str) -> dict[str, list[list[str]]]:
    return sections(read(f"docs/reference/{name}"))


def manual() -> str:
    return read("packaging/man/tierscope.1").replace("\\-", "-").replace("\\(aq", "'")


def test_every_command_line_of_the_manual_page_would_be_accepted() -> None:
    lines = re.findall(r"^\\fB(tierscope .*)\\fR$", manual(), re.MULTILINE)
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
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "tierscope", *(ROOT / "packaging").glob("setup*.sh")]
    found = {name for path in sources for name in re.findall(r"(?<!_)TIERSCOPE_[A-Z_]+", path.read_text())}
    told = {row[0] for row in documented("cli.md")["Environment"]}
    assert {name for name in told if name.startswith("TIERSCOPE_")} == found


# --- reference/plan.md, how-to/own-groups.md ---


def test_every_word_of_a_plan_is_documented() -> None:
    sources = [ROOT / "core/bench/plan.cpp", *(ROOT / "core/bench/tasks").glob("*.cpp")]
    table = r'(?:_key<[^>]*>\(|^ *\{)"([a-z_]+)"[,)]'
    known = {key for path in sources for key in re.findall(table, path.read_text(), re.MULTILINE)}
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
        read_groups("[schedule]\nunknown = 1\n[[experiment]]\n", TASKS)
