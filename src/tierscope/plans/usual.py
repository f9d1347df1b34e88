"""Options that several suites have, with the same text in each."""

from typing import Annotated

from tierscope.plans.kinds import Help, Pages, Share, Time
from tierscope.record.experiment import Target

Where = Annotated[Target, Help("where the bytes live")]
PageSize = Annotated[Pages, Help("page size: `4k`, `thp`, `2m`, `1g`")]
Precision = Annotated[Share, Help("half of the 95 % interval over the median")]
PrecisionInPercent = Annotated[Share, Help("half of the 95 % interval over the median; also as `2%`")]
"""The same for suites whose default is 2 %."""
Budget = Annotated[Time, Help("most seconds timed for one point")]
