"""Exports: one or several runs as one file for other programs.

One file here is one form, and adds itself in its last line. Base units throughout, but where a form says otherwise.
"""

from collections.abc import Sequence
from typing import Protocol

from tierscope.record.result import Run
from tierscope.registry import Registry


class Export(Protocol):
    """One form. Equal runs give equal bytes."""

    @property
    def name(self) -> str: ...

    @property
    def text(self) -> bool:
        """Whether it may be printed; else it needs a file."""

    def render(self, runs: Sequence[Run]) -> bytes:
        """The whole file; UsageError where the runs hold nothing for this form."""


exports: Registry[Export] = Registry("export form", "tierscope.report.exports")
