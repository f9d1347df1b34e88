"""What `audit` may be asked about, by its word: a run, or a published table."""

from pathlib import Path

from tierscope import reference
from tierscope.audit import Audit, examine, own, published
from tierscope.result import load

PUBLISHED = "reference:"


def audited(what: str) -> tuple[str, Audit]:
    """Its name for people, and the audit; UsageError for what is neither."""
    if what.startswith(PUBLISHED):
        table = reference.load(what.removeprefix(PUBLISHED))
        return f"{table.name}: {table.title}", examine(published.statements(table))
    return what, examine(own.statements(load(Path(what))))
