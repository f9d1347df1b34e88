"""The function that the command `tierscope` calls. It is quiet even if Ctrl-C comes while Python loads, for 0.2 s."""

import sys


def main() -> int:
    """Return the exit status of `tierscope.cli.main`; 128 + n, with one line, if signal n comes while it is loaded."""
    try:
        from tierscope import stops

        with stops.heard():
            from tierscope.cli.main import main as command

            return _closed(command())
    except KeyboardInterrupt as error:
        sys.stderr.write("tierscope: interrupted\n")
        return 128 + getattr(error, "number", 2)


def _closed(status: int) -> int:
    """Close standard output here: what the system refuses only now, a disk of the network its last bytes, is a line
    and status 3 of ours. Python would print an exception of its own when it ends, with status 120.
    """
    try:
        sys.stdout.close()
    except BrokenPipeError:
        return status
    except OSError as error:
        if not status:
            sys.stderr.write(f"tierscope: standard output: {error.strerror}; free some space, or write elsewhere\n")
        return status or 3
    return status
