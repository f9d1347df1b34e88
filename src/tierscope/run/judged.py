"""The judgement of a run that has just been measured, stored next to its samples while they are judged in memory."""

from contextlib import suppress

from tierscope.audit.own import experiments
from tierscope.compare.points import numbers_of
from tierscope.errors import TierscopeError
from tierscope.record.result import Result, Run
from tierscope.tables import tables
from tierscope.tables.kept import keep, measured_here


def stored(run: Run) -> Result:
    """Store all that later commands judge of the run, and return its result.

    A judgement that fails is an error of whoever asks for it, not of the run that is measured.
    """
    measured_here(run.path)
    for make in (*(tables[name].rows for name in tables), numbers_of, experiments):
        with suppress(TierscopeError):
            make(run)
    keep(run)
    return run.result
