"""Every target states how it is written, and what it is."""

import re
from pathlib import Path

from fake_core import HELD_IN
from tierscope import core
from tierscope.record.experiment import Target


def test_every_target_is_described_and_written_with_its_name() -> None:
    targets = core.catalogue().targets
    assert {"node", "file", "null"} <= {target.name for target in targets}
    for target in targets:
        assert target.summary
        assert Target.parse(target.word).name == target.name


def test_a_target_on_a_path_names_what_contains_its_bytes() -> None:
    """Else the free space there is not looked up, and a run may ask for more than there is."""
    targets = core.catalogue().targets
    for target in targets:
        on_a_path = re.search(r":(PATH|/)", target.word) is not None
        assert (target.held_in not in {"memory", "nothing"}) == on_a_path, target
    held_in = {target.name: target.held_in for target in targets}
    assert {name: held_in[name] for name in HELD_IN} == HELD_IN  # the core that replaces it in tests


def test_the_catalogue_without_pools_lists_the_same_names() -> None:
    """The core without libpmemobj lists what it lacks, so that a wrong name is distinguished from an absent one."""
    few, all_of_them = core.catalogue(pools=False), core.catalogue()
    assert {one.name for one in few.targets} == {one.name for one in all_of_them.targets}
    stated = [
        [(one.name, one.summary, one.source, one.persistent) for one in each.structures] for each in (few, all_of_them)
    ]
    assert stated[0] == stated[1]


def test_the_reference_lists_available_targets_and_names_the_command_that_lists_all() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/reference/cli.md").read_text()
    section = page.partition("## Targets")[2].partition("##")[0]
    listed = re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)
    assert len(listed) >= 8
    assert set(listed) <= {target.word for target in core.catalogue().targets}
    assert "`tierscope catalogue`" in section
