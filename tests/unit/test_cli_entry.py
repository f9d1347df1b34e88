"""The command's first lines: quiet where Ctrl-C comes before all of Python is loaded."""

import subprocess
import sys
import tomllib
from pathlib import Path

INTERRUPTED = """
import builtins, sys
real = builtins.__import__

def load(name, *rest):
    if name == {name!r}:
        raise KeyboardInterrupt
    return real(name, *rest)

builtins.__import__ = load
from tierscope.cli.entry import main
sys.exit(main())
"""


def test_ctrl_c_while_python_loads_ends_with_130_and_one_line() -> None:
    for name in ("msgspec", "rich_click", "tierscope.cli.main"):
        code = INTERRUPTED.format(name=name)
        done = subprocess.run([sys.executable, "-c", code, "suites"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "tierscope: interrupted")


def test_the_command_starts_there_and_loads_nothing_before(root: Path) -> None:
    scripts = tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts["tierscope"] == "tierscope.cli.entry:main"
    code = "import sys; before = set(sys.modules); import tierscope.cli.entry; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("tierscope")}
    assert loaded == {"tierscope", "tierscope.cli", "tierscope.cli.entry"}
    assert {"msgspec", "numpy", "rich_click"}.isdisjoint(done.stdout.split())
