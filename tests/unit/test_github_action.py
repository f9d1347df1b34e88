"""The GitHub action: its inputs reach the script, which calls the real command and reports each status."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from documents import fault

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging/github"
ACTION = (FOLDER / "action.yml").read_text()
FAKE = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\n[ -z "$SAID" ] || echo "$SAID"\nexit "$STATUS"\n'


def keys(part: str) -> set[str]:
    """The names directly below `inputs` or `outputs`."""
    (block,) = re.findall(rf"^{part}:\n((?:  .*\n)+)", ACTION, re.MULTILINE)
    return set(re.findall(r"^  ([\w-]+):", block, re.MULTILINE))


def step(folder: Path, status: int, **inputs: str) -> tuple[int, str, dict[str, str], str]:
    """Status and log of the script around a program that ends with `status`; outputs, summary."""
    program = folder / "tierscope"
    program.write_text(FAKE)
    program.chmod(0o755)
    said = inputs.pop("said", "check: 90 % sure; run\n  more")
    given = {"FILE": "memory.toml", "JUNIT": "", "OUT": "run", "NOT_KNOWN": "pass", "PROGRAM": str(program)} | inputs
    github = {"GITHUB_OUTPUT": str(folder / "out"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
              "GITHUB_ACTION_PATH": str(FOLDER), "RUNNER_TEMP": str(folder)}  # fmt: skip
    env = {"PATH": os.environ["PATH"], "STATUS": str(status), "SAID": said, **given, **github}
    done = subprocess.run([FOLDER / "check.sh"], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    read = {name: (folder / name).read_text() if (folder / name).exists() else "" for name in ("out", "summary")}
    outputs = dict(line.split("=", 1) for line in read["out"].splitlines())
    return done.returncode, done.stdout, outputs, read["summary"]


def test_every_input_and_output_is_declared_and_used() -> None:
    assert set(re.findall(r"\{\{ inputs\.([\w-]+) \}\}", ACTION)) == keys("inputs")
    script = (FOLDER / "check.sh").read_text()
    assert set(re.findall(r"\{\{ steps\.check\.outputs\.(\w+) \}\}", ACTION)) == keys("outputs")
    assert keys("outputs") == set(re.findall(r"\b(\w+)=\$\w+\"", script))
    environment = set(re.findall(r"^        ([A-Z_]+): \$\{\{ inputs", ACTION, re.MULTILINE))
    assert environment == set(re.findall(r"\$\{?([A-Z_]+)", script)) - {
        "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTION_PATH", "RUNNER_TEMP",
    }  # fmt: skip


def test_no_input_is_part_of_a_script() -> None:
    runs = re.findall(r"^ +run: (.*)$", ACTION, re.MULTILINE)
    assert runs == ["'\"$GITHUB_ACTION_PATH/check.sh\"'"]


def test_the_default_program_is_the_clone_of_the_action() -> None:
    assert os.access(FOLDER / "../../tierscope", os.X_OK)
    assert "$GITHUB_ACTION_PATH/../../tierscope" in (FOLDER / "check.sh").read_text()


@pytest.mark.parametrize(
    ("status", "policy", "ends", "verdict", "level"),
    [
        (0, "pass", 0, "passed", "notice"),
        (1, "pass", 1, "failed", "error"),
        (4, "pass", 0, "not known", "warning"),
        (4, "fail", 4, "not known", "warning"),
        (2, "pass", 2, "error", "error"),
        (3, "fail", 3, "error", "error"),
        (130, "pass", 130, "error", "error"),
    ],
)
def test_each_status_has_its_verdict(
    tmp_path: Path, status: int, policy: str, ends: int, verdict: str, level: str
) -> None:
    code, log, outputs, summary = step(tmp_path, status, NOT_KNOWN=policy)
    assert code == ends
    assert outputs == {"verdict": verdict, "run": "run"}
    assert f"::{level} title=Tierscope::check: 90 %25 sure; run\n" in log
    assert summary == f"### Memory: {verdict}\n\n```text\ncheck: 90 % sure; run\n  more\n```\n"


def test_the_program_is_called_as_the_command_takes_it(tmp_path: Path) -> None:
    step(tmp_path, 0, FILE="a b.toml", JUNIT="check.xml")
    words = (tmp_path / "tierscope.words").read_text().splitlines()
    assert words == ["check", "a b.toml", "--out", "run", "--junit", "check.xml"]
    assert fault(["tierscope", *words], ROOT) == ""
    assert fault(["tierscope", *words, "--junitt"], ROOT) != ""


def test_a_missing_answer_and_a_wrong_policy_are_reported(tmp_path: Path) -> None:
    code, log, outputs, _ = step(tmp_path, 2, said="", OUT="")
    assert (code, outputs["verdict"]) == (2, "error")
    assert "check: error: status 2, see the log" in log
    assert Path(outputs["run"]).parent == tmp_path
    code, log, _, _ = step(tmp_path, 0, NOT_KNOWN="ignore")
    assert code == 2
    assert "::error::not-known: ignore is neither pass nor fail" in log
