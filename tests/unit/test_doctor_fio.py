"""The check of fio: absent, too old, another program, silent, good; and no verdict on recorded files."""

from pathlib import Path

import pytest

from fake_fio import FakeFio
from tierscope.doctor.check import checks
from tierscope.doctor.checks import fio as check
from tierscope.fio.program import BRING
from tierscope.host.system import System
from tierscope.record.result import Finding


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeFio:
    return FakeFio(tmp_path, monkeypatch)


def found() -> Finding:
    return checks["fio"].examine(System())


def test_a_new_fio_is_good(fake: FakeFio) -> None:
    assert (found().verdict, found().state) == ("good", f"3.33, {fake.folder}/fio")


def test_an_absent_fio_is_noted_with_what_brings_it(fake: FakeFio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake.folder / "empty"))
    assert (found().verdict, found().state, found().remedy) == ("note", "not installed", BRING)
    assert found().needs_root
    assert found().touches == ()


@pytest.mark.parametrize(
    ("version", "state"),
    [("fio-3.29", "is fio 3.29, and 3.30 or newer is needed"), ("'a tune'", "is not fio: it calls itself 'a tune'")],
)
def test_an_old_fio_or_another_program_is_noted(fake: FakeFio, version: str, state: str) -> None:
    fake.put(version=version)
    assert (found().verdict, found().state) == ("note", f"{fake.folder}/fio {state}")
    assert "3.30 or newer" in found().remedy


def test_a_fio_that_does_not_answer_is_not_waited_for(fake: FakeFio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LONGEST_S", 0.1)
    (fake.folder / "fio").write_text("#!/bin/sh\nexec sleep 60\n")
    assert "does not run" in found().state


def test_recorded_files_are_not_checked(tmp_path: Path) -> None:
    assert checks["fio"].examine(System(tmp_path)).verdict == "unknown"
