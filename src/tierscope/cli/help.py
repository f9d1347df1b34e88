"""Help pages whose examples and tables keep their lines."""

import rich_click as click
from rich.text import Text


def _write(epilog: str | None, formatter: click.HelpFormatter) -> None:
    if epilog and isinstance(formatter, click.RichHelpFormatter):
        formatter.write(Text(epilog.rstrip() + "\n"))


class Command(click.RichCommand):
    """A command with an epilogue of its own lines."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(self.epilog, formatter)


class Group(click.RichGroup):
    """A group with an epilogue of its own lines."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(self.epilog, formatter)
