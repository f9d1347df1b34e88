"""Another machine, reached by ssh: its core processes, its files of the system, and what its other programs use.

Nothing of this machine is measured or read in place of it. The other machine needs `sh` and the usual small programs of
coreutils or busybox, and no Python. All that is written there is one temporary folder, which its shell removes when the
connection ends, however it ends.
"""

from tierscope.remote.machine import Remote

__all__ = ["Remote"]
