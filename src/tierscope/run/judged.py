"""The judgement of a run that has just been measured, stored beside its samples while they are judged in memory."""

from contextlib import suppress

from tierscope.errors import TierscopeError
from tierscope.record.result import Result, Run
from tierscope.tables import tables
from tierscope.tables.kept import keep, measured_here


def stored(run: Run) -> Result:
    """Store the rows of all tables, and return the result of the run.

    A table that cannot be made is an error of whoever asks for its rows, not of the run that is measured.
    """
    measured_here(run.path)
    for name in tables:
        with suppress(TierscopeError):
            tables[name].rows(run)
    keep(run)
    return run.result
