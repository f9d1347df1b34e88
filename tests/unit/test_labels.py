"""The labels of experiments: structs that are stored flat and read back, of every table."""

import re
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from tierscope.errors import ResultError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.labels import Labels, present
from tierscope.tables import tables


class PointLabels(Labels, frozen=True, kw_only=True):
    """The labels of the table of this test."""

    threads: int
    order: str = "global"
    ways: int | UnsetType = UNSET


def filed(**labels: str | float | bool | None) -> Experiment:
    return Experiment(table="points", groups=(), schedule=Schedule(), labels=labels)


def test_labels_are_read_as_they_were_stored() -> None:
    for labels in (PointLabels(threads=2), PointLabels(threads=2, order="page", ways=4)):
        assert PointLabels.read(filed(**labels.stored())) == labels


def test_a_label_that_is_not_set_is_not_stored() -> None:
    assert PointLabels(threads=2).stored() == {"threads": 2, "order": "global"}
    assert present(PointLabels(threads=2).ways) is None
    assert present(PointLabels(threads=2, ways=4).ways) == 4


def test_a_label_that_an_older_run_lacks_is_its_default() -> None:
    assert PointLabels.read(filed(threads=2)).order == "global"


def test_labels_of_another_suite_do_no_harm() -> None:
    assert PointLabels.read(filed(threads=2, device=7)) == PointLabels(threads=2)


@pytest.mark.parametrize("labels", [{}, {"threads": None}, {"threads": "two"}, {"threads": 1.5}, {"threads": True}])
def test_a_label_that_is_absent_or_of_another_type_is_an_error(labels: dict[str, str | None]) -> None:
    with pytest.raises(ResultError, match="labels of an experiment of table points: .*threads"):
        PointLabels.read(filed(**labels))


def test_every_class_of_labels_is_stored_as_plain_values() -> None:
    assert tables
    assert suites  # both import what is in the folders of suites
    kinds = [kind for kind in _below(Labels) if kind.__module__.startswith("tierscope.")]
    assert len(kinds) >= 20
    for kind in kinds:
        known = {field.name for field in msgspec.structs.fields(kind)}
        assert all(_plain(field.type) for field in msgspec.structs.fields(kind)), kind
        assert known


def test_suites_read_labels_by_their_structs_alone(root: Path) -> None:
    """A dict of labels has no types: a missing one became "None" or 0, in a row that looked right."""
    by_name = re.compile(r"labels\[|labels\.get\(|dict\[str, Label\] = \{")
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sorted((root / "src/tierscope/suites").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if by_name.search(line) and path.parent.name != "imported"
    ]
    assert found == []


def _below(kind: type[Labels]) -> list[type[Labels]]:
    return [one for direct in kind.__subclasses__() for one in (direct, *_below(direct))]


def _plain(kind: object) -> bool:
    return not set(getattr(kind, "__args__", (kind,))) - {str, int, float, bool, type(None), UnsetType}
