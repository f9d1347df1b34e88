"""The confirming sessions that `fleet outliers` asks for, as a file that an engine runs: suspects with controls."""

from pathlib import Path

import msgspec

from tierscope.errors import ResultError, reason
from tierscope.files import write_atomically
from tierscope.fleet.folder import CONFIRM
from tierscope.fleet.same_plan import same_plan

SESSIONS = 3


class ConfirmPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Run `plan` on all of these hosts, `sessions` times, at different hours; each time all of them in one slot."""

    schema: int = 1
    day: str  # of the screen
    plan: str  # digest of the plan to run again
    sessions: int = SESSIONS
    suspects: tuple[str, ...]  # names of hosts
    controls: tuple[str, ...]  # healthy hosts of the same groups
    machines: dict[str, str]  # host -> machine identity, to notice a renamed host


def read_plan(directory: Path) -> ConfirmPlan:
    """Return the plan in a fleet's directory; ResultError if there is none."""
    try:
        found = msgspec.json.decode((directory / CONFIRM).read_bytes(), type=ConfirmPlan)
    except OSError as error:
        raise ResultError(f"no confirming sessions are asked for in {directory}: {reason(error)}; "
                          "try tierscope fleet outliers") from error  # fmt: skip
    except msgspec.DecodeError as error:
        raise ResultError(f"{directory / CONFIRM} is damaged: {error}; run tierscope fleet outliers again") from error
    return msgspec.structs.replace(found, plan=same_plan(found.plan))


def settle(directory: Path, plan: ConfirmPlan | None, of: str) -> None:
    """Write the sessions that a plan still needs; remove those that are asked for if it needs no more.

    of: digest of the plan that was judged. A request of another plan stays.
    """
    if plan is not None:
        write_plan(directory, plan)
    elif (directory / CONFIRM).exists() and read_plan(directory).plan == of:
        (directory / CONFIRM).unlink()


def write_plan(directory: Path, plan: ConfirmPlan) -> None:
    """Replace the plan in a fleet's directory."""
    write_atomically(directory / CONFIRM, msgspec.json.format(msgspec.json.encode(plan), indent=1))
