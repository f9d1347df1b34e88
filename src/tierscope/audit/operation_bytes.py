"""Bytes are operations times their size.

    bandwidth_bytes_per_s = rate_per_s * operation_bytes

Blind to operations that were counted but moved nothing.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.products import failure
from tierscope.audit.statement import Statement

ROOM = 0.002  # tools average rate and bandwidth over windows that differ by their last moments


class OperationBytes:
    """Compare the bandwidth with rate x size."""

    name: ClassVar[str] = "operation_bytes"
    title: ClassVar[str] = "bandwidth = operations/s x bytes of one"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("bandwidth_bytes_per_s", "rate_per_s", "operation_bytes"):
                _, rate, size = known
                room = ROOM + rate.slack
                yield failure(self.name, one, "bandwidth_bytes_per_s", rate.value * size.value, "rate x size", room)


identities.add(OperationBytes())
