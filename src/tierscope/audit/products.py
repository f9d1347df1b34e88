"""Products that must agree, and the failure of one that does not."""

from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.slips import slip, slips_of
from tierscope.audit.statement import Statement


def failure(identity: str, one: Statement, name: str, made: float, how: str, room: float) -> Failure | None:
    """Return None if the quantity `name` is `made` within `room` (a share, added to its own rounding).

    how: the origin of `made`, such as "rate x operation".
    """
    stated = one.quantities[name]
    if abs(stated.value - made) <= room * abs(made) + stated.step / 2:
        return None
    found = f"{how} makes {value_of(name, made)}"
    word = slip(stated.value / made, slips_of(name), room + stated.slack) if made else ""
    off = f"{stated.value / made:.4g}x that" if made else "not nothing"
    why = f"{word} on one side" if word else f"it is {off}: the two are not of one test, or one was typed wrongly"
    return Failure(identity, one.label, one.table, name, shown(name, stated), found, why)
