"""Each C++ file includes the standard headers of the names that it uses."""

from pathlib import Path

import pytest

from includes import missing_includes


def test_the_core_includes_what_it_uses(root: Path) -> None:
    assert list((root / "core").rglob("*.hpp")), "the core is not here: nothing was checked"
    assert missing_includes(root) == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("#include <string>\nstd::uint64_t seed;", "uses std::uint64_t without <cstdint>"),
        ("#include <vector>\nint a = std::max(1, 2);", "uses std::max without <algorithm>"),
        ("#include <charconv>\nstd::errc error;", "uses std::errc without <system_error>"),
        ("int a = errno;", "uses errno without <cerrno>"),
    ],
)
def test_a_name_without_its_header_is_found(tmp_path: Path, code: str, fault: str) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core/made.cpp").write_text(code)
    assert missing_includes(tmp_path) == [f"core/made.cpp {fault}"]


def test_a_header_of_the_project_brings_its_own_includes(tmp_path: Path) -> None:
    (tmp_path / "core/base").mkdir(parents=True)
    (tmp_path / "core/base/plan.hpp").write_text("#include <cstdint>\n")
    (tmp_path / "core/made.cpp").write_text('#include "base/plan.hpp"\n// errno\nstd::uint64_t seed;  // std::max(')
    assert missing_includes(tmp_path) == []
