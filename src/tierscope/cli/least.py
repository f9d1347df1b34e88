"""The value of `--least`, in every command that compares."""

import rich_click as click


def share(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    """Return the share, as a callback of click; UsageError for other values; None without a value."""
    from tierscope.errors import UsageError

    if value is not None and not 0 <= value < 1:
        raise UsageError(f"--least {value:g} is not a share; name one from 0 up to 1, such as 0.02")
    return value
