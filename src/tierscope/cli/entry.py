"""What the command `tierscope` starts: quiet also where Ctrl-C comes while Python still loads, which takes 0.2 s."""

import sys


def main() -> int:
    """The exit status of `tierscope.cli.main`; 130 without a traceback while that is loaded."""
    try:
        from tierscope.cli.main import main as command

        return command()
    except KeyboardInterrupt:
        sys.stderr.write("tierscope: interrupted\n")
        return 130
