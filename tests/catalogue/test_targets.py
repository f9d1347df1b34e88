"""Every target says how it is written, and what it is."""

import re
from pathlib import Path

from tierscope import core
from tierscope.record.experiment import Target


def test_every_target_is_described_and_written_with_its_name() -> None:
    targets = core.catalogue().targets
    assert {"node", "file", "null"} <= {target.name for target in targets}
    for target in targets:
        assert target.summary
        assert Target.parse(target.word).name == target.name


def test_the_reference_lists_targets_that_are_there_and_says_what_lists_all() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/reference/cli.md").read_text()
    section = page.partition("## Targets")[2].partition("##")[0]
    listed = re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)
    assert len(listed) >= 8
    assert set(listed) <= {target.word for target in core.catalogue().targets}
    assert "`tierscope catalogue`" in section
