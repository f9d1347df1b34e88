"""The labels by which a table files an experiment: one struct for each table, stored flat in the experiment.

A suite writes `labels=StreamLabels(kernel="read", threads=2).stored()`, and its table reads
`StreamLabels.read(experiment)`. A field without a default must be there. A field that only some
experiments have is `... | UnsetType = UNSET`: it is not stored then. A default is what experiments of earlier versions
meant, which did not store the field.
"""

from typing import Self, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from tierscope.errors import ResultError
from tierscope.record.experiment import Experiment, Label

Value = TypeVar("Value")


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """Labels of other names, as of a suite that measures on behalf of another one, are left where they are."""

    def stored(self) -> dict[str, Label]:
        """Return the labels in the order of the fields, without those that are not set."""
        stored: dict[str, Label] = msgspec.to_builtins(self)
        return stored

    @classmethod
    def read(cls, experiment: Experiment) -> Self:
        """Return the labels of an experiment; ResultError for one that is absent or of another type."""
        try:
            return msgspec.convert(experiment.labels, cls)
        except msgspec.ValidationError as error:
            raise ResultError(f"labels of an experiment of table {experiment.table}: {error}") from error


def present(value: Value | UnsetType) -> Value | None:
    """Return a value that may not be set, None if it is not."""
    return None if value is UNSET else value
