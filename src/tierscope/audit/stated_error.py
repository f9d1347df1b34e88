"""A mean error that is stated is that of the rows.

    stated_error = mean of |predicted - measured| / measured          within the rounding of all numbers

`error_over_measured` and `error_over_predicted` are the means over the rows of a table, with their bounds: the second
divides by the prediction, which makes models that are too high look better. Blind to a mean of other rows.
Source: R. J. Hyndman, A. B. Koehler, "Another look at measures of forecast accuracy", Int. J. of Forecasting 22, 2006.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Quantity, Statement

NAME = "stated_error"
OVER = ("error_over_measured", "error_over_predicted")


class StatedError:
    """Check statements of whole tables."""

    name: ClassVar[str] = "stated_error"
    title: ClassVar[str] = "a stated mean error is that of the rows"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get(NAME, *OVER):
                stated, measured, predicted = known
                yield None if _meet(stated, measured) else _failure(one, stated, measured, predicted)


def _meet(one: Quantity, other: Quantity) -> bool:
    return one.low <= other.high and other.low <= one.high


def _failure(one: Statement, stated: Quantity, measured: Quantity, predicted: Quantity) -> Failure:
    found = f"the rows make {100 * measured.value:.2f} % of what was measured"
    if _meet(stated, predicted):
        why = "it is the mean error over the prediction, not over what was measured"
    else:
        why = f"it is also not that over the prediction, {100 * predicted.value:.2f} %: other rows or another mean"
    return Failure("stated_error", one.label, one.table, NAME, f"mean error {100 * stated.value:.4g} %", found, why)


identities.add(StatedError())
