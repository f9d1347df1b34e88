"""A process that puts the prefetchers back when the run that switched them ends, however it ends.

    python -m tierscope.host.prefetch_guard ROOT

Its standard input is a pipe, and only the run has the other end. The pipe ends with the run, and a kill cannot prevent
that. The guard is in a session of its own and ignores what a terminal or a shell sends to a run.
"""

import signal
import sys
from pathlib import Path

from tierscope.host.prefetchers import Registers
from tierscope.stops import SIGNALS

READY = b"ready\n"


def main(root: str) -> int:
    """Wait for the end of standard input, then restore; 1 where that failed: the file stays for the doctor."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    registers = Registers(Path(root))
    if registers.kept() is None:
        return 1
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    while sys.stdin.buffer.read(4096):
        pass
    registers.restore()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
