"""The manual page, packaging/man/tierscope.1, in the macros of man(7)."""

import re

from tierscope.cli.commands import commands
from tierscope.cli.environment import VARIABLES
from tierscope.cli.help import Command
from tierscope.cli.main import EXAMPLES
from tierscope.cli.markup import escaped, roff
from tierscope.cli.reference import Part, parts
from tierscope.cli.reference.command_line import markdown, options_of, synopsis
from tierscope.errors import Exit
from tierscope.plans import SuiteOptions, suites
from tierscope.plans.options import Option, all_options, own_options

PAGE = "packaging/man/tierscope.1"

HEAD = r"""
.TH TIERSCOPE 1 "" "tierscope" "User Commands"
.ad l
.SH NAME
tierscope \- measure, model and predict every tier of a machine\(aqs memory
.SH SYNOPSIS
.B tierscope
.I COMMAND
.RI [ OPTION ]...
.RI [ ARGUMENT ]...
.SH DESCRIPTION
.B tierscope
measures bandwidth, latency, and latency under load of the memory of this machine, without root and without performance
counters.
Every number is a median with its 95 % interval, or is marked inconclusive.
A run leaves a directory with all samples and one HTML page.
Every command accepts
.BR \-h " and " \-\-help ;
.B tierscope
itself also accepts
.BR \-\-version .
"""

FILES = r"""
.SH FILES
A run directory contains
.I manifest.json
(the options and the machine),
.I result.json
(the finished experiments),
.I samples/NNNN.parquet
(every block) and
.IR report.html .
Every file is replaced as a whole, so a kill at any moment leaves a run that
.B tierscope resume
continues.
"""

NOTES = r"""
.SH NOTES
Tierscope sends nothing, and reports load nothing.
The method of each number and its limits are on every page, and in
.I docs/method.md
of the sources.
"""


def entry(term: str, *lines: str) -> list[str]:
    """Return one entry: the term in bold, which may break behind a comma, its text below."""
    return [".TP", rf"\fB{escaped(term)}\fR".replace(",", r",\:"), *lines]


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, a macro between two of them."""
    found = [roff(" ".join(one.split())) for one in re.split(r"\n\s*\n", text.strip()) if one.strip()]
    return [line for one in found for line in (".PP", one)][1:]


def literal(lines: tuple[str, ...] | list[str]) -> list[str]:
    """Return lines that keep their breaks, in bold."""
    return [".PP", ".nf", *(rf"\fB{escaped(line)}\fR" for line in lines), ".fi"]


def command(name: str) -> list[str]:
    """Return the section of a command: synopsis, help, options, formats, exit status, examples."""
    one = commands[name]
    found = [f".SS {name}", rf"\fB{escaped(synopsis(name, one))}\fR", ".PP", *paragraphs(markdown(one))]
    for flag, told in options_of(one):
        found += entry(flag, roff(told))
    if isinstance(one, Command):
        for key, text in one.formats.items():
            found += entry(key, roff(text))
        for status, text in one.status.items():
            found += entry(f"exit status {status}", roff(text))
        found += literal(one.examples) if one.examples else []
    return found


def keys(options: tuple[Option, ...]) -> list[str]:
    """Return an entry for each option of a suite."""
    return [line for one in options for line in entry(f"{one.name}={one.show()}", roff(one.help))]


def suite(name: str) -> list[str]:
    """Return the section of a suite: summary, details, options."""
    one = suites[name]
    text = f"{one.summary[:1].upper()}{one.summary[1:]}. {one.details}"
    return [f".SS {escaped(name)}", *paragraphs(text), *keys(own_options(one.options))]


def page() -> str:
    """Return the whole manual page."""
    lines = [HEAD.strip(), ".SH COMMANDS", *(line for name in commands for line in command(name))]
    lines += [
        ".SH SUITES",
        "Each option has the form",
        ".BR key=value .",
        "All suites have:",
        *keys(all_options(SuiteOptions)),
    ]
    lines += [line for name in suites for line in suite(name)]
    lines += [".SH EXIT STATUS", *(line for one in Exit for line in entry(str(one.value), roff(one.meaning)))]
    lines += [".PP", "SIGTERM ends a command with 143, SIGHUP with 129."]
    lines += [".SH ENVIRONMENT", *(line for name, text in VARIABLES.items() for line in entry(name, roff(text)))]
    lines += [FILES.strip(), ".SH EXAMPLES"]
    for typed, meaning in EXAMPLES.items():
        lines += [".PP", roff(f"{meaning[:1].upper()}{meaning[1:]}:"), *literal([typed])]
    return "\n".join([*lines, NOTES.strip()]) + "\n"


parts.add(Part("manual-page", PAGE, page, whole=True))
