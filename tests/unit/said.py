"""The output of a command, called as a user calls it but within this process."""

import pytest

from tierscope.cli.main import main


def say(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Status, standard output, standard error."""
    capfd.readouterr()
    status = main(list(words))
    out, err = capfd.readouterr()
    return status, out, err


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Status and the one line of a command that fails; it prints nothing else."""
    status, out, err = say(capfd, *words)
    assert out == ""
    assert err.startswith("tierscope: ")
    assert err.count("\n") == 1
    return status, err.removeprefix("tierscope: ").rstrip("\n")
