"""Models of a program's run time on a memory: those that `tierscope predict` can ask."""

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self, TypeGuard

from tierscope.errors import UnknownNameError
from tierscope.models import models
from tierscope.models.device import Device
from tierscope.models.model import Model, Prediction
from tierscope.registry import unknown


class RunTime(Model, Protocol):
    """A model that has presets and predicts seconds from a number of operations and a memory."""

    writes: ClassVar[bool]  # whether the latency of writes counts
    without_effect: ClassVar[Mapping[str, str]]  # why a key of a memory may change nothing, and what to try

    @property
    def checked(self) -> bool:
        """Return whether an error of the model alone, without a run that is moved, is known."""

    @classmethod
    def preset(cls, name: str) -> Self:
        """Return the constants of this name; UnknownNameError names those that are here."""

    def predict(self, operations: float, device: Device, value_bytes: float = 0.0) -> Prediction:
        """Return the seconds of all operations on the device."""


def run_times() -> dict[str, type[RunTime]]:
    """Return all of them by name."""
    return {name: model for name in models if _is_run_time(model := models[name])}


def run_time(name: str) -> type[RunTime]:
    """Return the model of this name; UnknownNameError where it is unknown or predicts something else."""
    known = run_times()
    if name not in known:
        raise UnknownNameError(unknown("model of run time", name, list(known)))
    return known[name]


def _is_run_time(model: type[Model]) -> TypeGuard[type[RunTime]]:
    return hasattr(model, "preset")
