"""Reads the documents: blocks, command lines, tables and headings; states whether a command line would be accepted.

A command line is one that follows `$ ` in a `console` block, a line of an `sh` block, a line of indented code, or code
within a sentence, if it calls tierscope or tierscope-core. A word in capitals stands for something and is not checked.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from tierscope.cli.commands import commands
from tierscope.cli.words import read_words
from tierscope.errors import TierscopeError
from tierscope.plans import SuiteOptions, suites
from tierscope.plans.options import read_options
from tierscope.report.formats import formats

PROGRAM = re.compile(r"(?:\S*/)?(?:tierscope|tierscope-core)")
WRAPPERS = {"sudo": 0, "taskset": 2}  # and how many words they take
OPERATORS = {"|", "||", "&&", ";", ";;", ">", ">>", "<", "&", "(", ")", "<<"}


class Block(NamedTuple):
    """A fenced block and the number of its first line."""

    language: str
    text: str
    line: int


def pages(root: Path) -> list[Path]:
    """Every Markdown file that a user or a developer reads."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def blocks(text: str) -> list[Block]:
    found, lines, start = [], text.splitlines(), None
    for number, line in enumerate(lines, 1):
        if line.startswith("```") and start is None:
            start = number
        elif line == "```" and start is not None:
            found.append(Block(lines[start - 1][3:], "\n".join(lines[start : number - 1]) + "\n", start + 1))
            start = None
    assert start is None, f"the block at line {start} does not end"
    return found


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _lines(text: str) -> Iterator[str]:
    for block in blocks(text):
        joined = block.text.replace("\\\n", " ")
        if block.language == "console":
            yield from (line[2:] for line in joined.splitlines() if line.startswith("$ "))
        elif block.language == "sh":
            yield from joined.splitlines()
    for line in prose(text).splitlines():
        if line.startswith("    "):
            yield re.split(r" {3,}", line.strip())[0]
        else:
            yield from map(_mention, re.findall(r"`([^`]+)`", line))


def _mention(code: str) -> str:
    """A command named without its arguments is not a command line, but must exist."""
    name = code.removeprefix("./").removeprefix("tierscope ")
    return f"{code} --help" if name in commands or re.fullmatch(r"(\./)?tierscope [a-z]+", code) else code


def command_lines(text: str) -> list[list[str]]:
    """Each call of tierscope or tierscope-core as its words; synopses with [ or ... are left out."""
    return [words for line in _lines(text) if not re.search(r"\[|\.\.\.", line) for words in _calls(line)]


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        words = list(lexer)
    except ValueError:  # a quotation that goes over several lines
        words = line.partition("'")[0].split()
    simple: list[str] = []
    for word in [*words, ";"]:
        if word not in OPERATORS:
            simple.append(word)
        else:
            yield from _call(simple)
            simple = []


def _call(words: list[str]) -> Iterator[list[str]]:
    """The command behind variables and wrappers, if it is ours and has arguments."""
    while words and ("=" in words[0] or words[0] in WRAPPERS):
        words = words[1 + WRAPPERS.get(words[0], 0) :]
    if len(words) > 1 and PROGRAM.fullmatch(words[0]):
        yield words


def fault(words: list[str], root: Path) -> str:
    """Why the command line would be refused, before anything runs; "" if it would not."""
    program, name, *rest = words
    if program.endswith("-core"):
        known = re.findall(r'command == "([a-z-]+)"', (root / "core/cli/main.cpp").read_text())
        return "" if name in known else f"tierscope-core knows no {name}"
    if name.isupper() or name in ("--help", "-h", "--version") or (program, name) == ("./tierscope", "test"):
        return ""
    try:
        if "--help" in rest or any(word.isupper() for word in rest):
            return _of_placeholders(name, rest) if name in commands else f"no command {name}"
        if rest and isinstance(commands[name], click.Group):  # `fleet run`: a command of two words
            name, *rest = f"{name} {rest[0]}", *rest[1:]
        context = commands[name].make_context(name, list(rest))
        _check_names(name, context.params)
    except (click.ClickException, TierscopeError) as error:
        return error.format_message() if isinstance(error, click.ClickException) else str(error)
    return ""


def _of_placeholders(name: str, rest: list[str]) -> str:
    """Why a command whose values are placeholders would be refused: an option that it does not have."""
    words = rest[: rest.index("--")] if "--" in rest else rest
    while isinstance(command := commands[name], click.Group) and words and f"{name} {words[0]}" in commands:
        name, words = f"{name} {words[0]}", words[1:]
    if name == "run" or isinstance(command, click.Group):  # a suite has options of its own
        return ""
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    return f"no option {', '.join(unknown)} of {name}" if unknown else ""


def _check_names(name: str, given: dict[str, object]) -> None:
    """Suites with their options, and formats: names that click does not know."""
    if name == "run":
        suite, words = str(given["suite"]), given["words"]
        assert isinstance(words, tuple)
        if suite.endswith(".toml"):
            read_options("a plan", SuiteOptions, read_words(words))
        elif not suite.isupper():
            suites[suite].read(read_words(words))
    elif name == "report":
        asked = given["formats"]
        assert isinstance(asked, tuple)
        for each in asked:
            formats.report(each)
    elif name == "suites" and given["name"]:
        _ = suites[str(given["name"])]


def sections(text: str) -> dict[str, list[list[str]]]:
    """Heading -> rows of all tables below it, up to the next heading; cells without backticks; heads left out."""
    found: dict[str, list[list[str]]] = {"": []}
    heading, ruled = "", False
    for line in prose(text).splitlines():
        if match := re.match(r"#+ (.*)", line):
            heading, ruled = match[1].replace("`", ""), False
            found.setdefault(heading, [])
        elif not line.startswith("|"):
            ruled = False
        elif re.fullmatch(r"[|\-: ]+", line):
            ruled = True
        elif ruled:
            found[heading].append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
    return found


def names(rows: list[list[str]]) -> list[str]:
    """First cells, with several names in one cell split."""
    return [name.strip("` ") for row in rows for name in row[0].split(", ")]


def anchors(text: str) -> set[str]:
    """The anchors of this page, as the usual renderers make them from headings."""
    headings = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
