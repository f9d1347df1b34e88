"""Every command that a developer types; all of them use .venv, which `./tierscope test` makes.

.venv/bin/nox -s build            the native core and its tests in a debug build, warnings are errors
.venv/bin/nox -s test -- -k name  the first tier of tests, after `-- all` every test; further words go to pytest
.venv/bin/nox -s lint             what the tests of style check
.venv/bin/nox -s format           writes what `lint` asks for
.venv/bin/nox -s tidy             clang-tidy over the core
.venv/bin/nox -s docs             the tests of the documents, and their plain English
.venv/bin/nox -s site             build/site: the documents as a site; needs requirements/site.txt and Chromium
.venv/bin/nox -s reference        docs/reference/ and the manual page again, from the code
.venv/bin/nox -s bench            the overhead and resolution of Tierscope itself
.venv/bin/nox -s wheel            packaging/release: dist/tierscope-*-py3-none-manylinux_2_17_x86_64.whl, checked
.venv/bin/nox -s lock             requirements/*.txt from the bounds in pyproject.toml; needs uv and the network
.venv/bin/nox -s fresh            the README's commands in a bare system; needs root and debootstrap
"""

import sys
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "build", "test"]
nox.options.error_on_external_run = False

ROOT = Path(__file__).parent
TOOLS = Path(sys.executable).parent
STYLE = [
    "tests/unit/test_lint.py",
    "tests/unit/test_imported.py",
    "tests/unit/test_prose.py",
    "tests/unit/test_layers.py",
    "tests/unit/test_rooms.py",
    "tests/builds/test_isa_objects.py",
]
LOCK = [
    "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--no-emit-index-url",
    "--no-emit-find-links", "--no-annotate", "--generate-hashes",
    "--no-emit-package", "colorama",
    "--custom-compile-command", "nox -s lock",
]  # fmt: skip


@nox.session
def build(session: nox.Session) -> None:
    session.run("cmake", "--preset", "dev")
    session.run("cmake", "--build", "--preset", "dev")
    session.run("ctest", "--preset", "dev")


@nox.session
def test(session: nox.Session) -> None:
    session.run(str(ROOT / "tierscope"), "test", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    session.run(str(ROOT / "tierscope"), "test", *STYLE)


@nox.session(name="format")
def format_(session: nox.Session) -> None:
    sources = [str(path) for room in ("core", "tests/core") for path in (ROOT / room).rglob("*.[ch]pp")]
    session.run(str(TOOLS / "clang-format"), "-i", *sources)
    session.run(str(TOOLS / "ruff"), "format", ".")
    session.run(str(TOOLS / "ruff"), "check", "--fix", ".")


@nox.session
def tidy(session: nox.Session) -> None:
    session.run("cmake", "--preset", "tidy")
    session.run("cmake", "--build", "--preset", "tidy")


@nox.session
def docs(session: nox.Session) -> None:
    session.run(str(ROOT / "tierscope"), "test", "tests/unit", "-k", "docs or readme or prose", *session.posargs)


@nox.session
def site(session: nox.Session) -> None:
    session.run(str(TOOLS / "python"), "-m", "pip", "install", "--require-hashes", "-r", "requirements/site.txt")
    session.run(str(TOOLS / "python"), str(ROOT / "packaging/site/build.py"), *session.posargs)


@nox.session
def reference(session: nox.Session) -> None:
    session.run(str(TOOLS / "python"), "-m", "tierscope.cli.reference", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        session.run(str(TOOLS / "python"), str(script), *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    session.run(str(ROOT / "packaging/release"), *session.posargs)


@nox.session
def lock(session: nox.Session) -> None:
    session.run("uv", *LOCK, "pyproject.toml", "-o", "requirements/run.txt", *session.posargs)
    session.run("uv", *LOCK, "--group", "build", "-c", "requirements/run.txt", "-o", "requirements/build.txt")
    constraints = ["-c", "requirements/run.txt", "-c", "requirements/build.txt"]
    session.run("uv", *LOCK, "--group", "test", *constraints, "-o", "requirements/test.txt")
    session.run(
        "uv", *LOCK, "--group", "site", *constraints, "-c", "requirements/test.txt", "-o", "requirements/site.txt"
    )


@nox.session
def fresh(session: nox.Session) -> None:
    session.run(str(ROOT / "packaging/try-fresh"), *session.posargs)
