"""Every change has a fragment of the right name, and a release joins them."""

from pathlib import Path
from types import ModuleType

import pytest

from scripts import module_of


@pytest.fixture(scope="module")
def tool(root: Path) -> ModuleType:
    return module_of(root / "packaging/join_changes.py", "join_changes")


def test_the_fragments_here_are_named_well(root: Path, tool: ModuleType) -> None:
    for path in tool.fragments(root / "changes"):
        lines = tool.entry(path.read_text(), "1").splitlines()
        assert max(map(len, lines)) <= tool.WIDTH or any(len(word) > 100 for word in path.read_text().split())


def test_a_release_takes_every_fragment_in_order_of_kind_and_issue(tmp_path: Path, tool: ModuleType) -> None:
    (tmp_path / "changes").mkdir()
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{tool.MARK}\n## 0.1.0 (2026-01-01)\n")
    for name, text in {
        "12.added.md": "Later.\n",
        "3.added.md": "One\nsentence.\n",
        "7-2.fixed.md": "Mended.\n",
    }.items():
        (tmp_path / "changes" / name).write_text(text)
    tool.join(tmp_path, "0.2.0", "2026-02-03")
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        f"# Changes\n\n{tool.MARK}\n## 0.2.0 (2026-02-03)\n\n### Added\n\n- One sentence. (#3)\n- Later. (#12)\n"
        "\n### Fixed\n\n- Mended. (#7)\n\n## 0.1.0 (2026-01-01)\n"
    )
    assert list((tmp_path / "changes").iterdir()) == []


def test_a_wrong_name_is_refused(tmp_path: Path, tool: ModuleType) -> None:
    (tmp_path / "2.new.md").write_text("x")
    with pytest.raises(ValueError, match=r"2\.new\.md: a fragment is called NUMBER\.KIND\.md"):
        tool.fragments(tmp_path)


@pytest.mark.parametrize("text", ["- One.\n- Two.\n", "# Title\n"])
def test_a_fragment_that_is_a_list_is_refused(text: str, tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="one file for each entry"):
        tool.entry(text, "2")
