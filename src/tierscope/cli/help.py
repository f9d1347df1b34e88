"""Help pages whose examples and tables keep their lines."""

import rich_click as click
from rich.text import Text
from rich_click.rich_help_formatter import RichHelpFormatter


class _Lines:
    """Prints the epilogue as it was written."""

    epilog: str | None

    def format_epilog(self, ctx: click.RichContext, formatter: RichHelpFormatter) -> None:
        if self.epilog:
            formatter.write(Text(self.epilog.rstrip() + "\n"))


class Command(_Lines, click.RichCommand):
    """A command with an epilogue of its own lines."""


class Group(_Lines, click.RichGroup):
    """A group with an epilogue of its own lines."""
