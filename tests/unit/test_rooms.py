"""The C++ rooms include each other in one direction only."""

from pathlib import Path

import pytest

from rooms import faults


def test_the_core_keeps_its_rooms(root: Path) -> None:
    assert list((root / "core").rglob("*.cpp")), "the core is not here: nothing was checked"
    assert faults(root) == []


def _made(folder: Path, name: str, include: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text(f'#include <vector>\n#include "{include}"\n')
    return folder


@pytest.mark.parametrize(
    ("name", "include"),
    [
        ("core/kernels/triad.hpp", "isa/isa.hpp"),
        ("core/kernels/vector/triad.hpp", "kernels/kernel.hpp"),
        ("core/targets/node.cpp", "base/error.hpp"),
        ("core/bench/bench.cpp", "team/team.hpp"),
        ("core/cli/main.cpp", "bench/plan.hpp"),
        ("cmake/variant.cpp.in", "isa/@ISA@.hpp"),
    ],
)
def test_an_import_from_a_lower_folder_is_allowed(tmp_path: Path, name: str, include: str) -> None:
    assert faults(_made(tmp_path, name, include)) == []


@pytest.mark.parametrize(
    ("name", "include", "word"),
    [
        ("core/base/clock.hpp", "team/team.hpp", "base may not use team"),
        ("core/isa/avx2.hpp", "kernels/kernel.hpp", "isa may not use kernels"),
        ("core/targets/node.cpp", "team/team.hpp", "targets may not use team"),
        ("core/bench/bench.cpp", "cli/main.hpp", "bench may not use cli"),
        ("core/cli/main.cpp", "../bench/plan.hpp", "names no room"),
        ("core/cli/main.cpp", "plan.hpp", "names no room"),
        ("core/extra/x.cpp", "base/error.hpp", "has no rule"),
        ("cmake/entry.cpp.in", "bench/bench.hpp", "kernels may not use bench"),
    ],
)
def test_an_import_from_a_higher_or_sibling_folder_is_found(tmp_path: Path, name: str, include: str, word: str) -> None:
    (fault,) = faults(_made(tmp_path, name, include))
    assert word in fault
    assert fault.startswith(name)
