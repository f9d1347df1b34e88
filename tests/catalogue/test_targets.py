"""Every target says how it is written, and what it is."""

from tierscope import core
from tierscope.record.experiment import Target


def test_every_target_is_described_and_written_with_its_name() -> None:
    targets = core.catalogue().targets
    assert {"node", "file", "null"} <= {target.name for target in targets}
    for target in targets:
        assert target.summary
        assert Target.parse(target.word).name == target.name
