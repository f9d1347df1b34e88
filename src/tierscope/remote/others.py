"""How many CPUs other programs use on the other machine: what all programs there used, less what the connection did.

Every process of ours there descends from the server's process of this connection: its shell, its cores, and what these
start. That process's own work, such as the encryption, is ours too.
Blind to what `tierscope.host.others` is blind to.
"""

import re

from tierscope.host.others import Mark, own_ticks
from tierscope.host.proc import parse_cpu_time
from tierscope.host.system import real, whole
from tierscope.remote.shell import Shell

TICKS = 100  # a second, as every Linux of today shows them
SCRIPT = """
tree() { p="$p $1"; for t in /proc/$1/task/*/children; do c=; { read -r c <"$t"; } 2>/dev/null
  for k in $c; do tree "$k"; done; done; }
p=; tree $PPID
{ read -r l; printf '%s\\n' "$l"; } </proc/stat
f=; for q in $p; do f="$f /proc/$q/stat"; done
cat /proc/uptime $f 2>/dev/null || :
"""


class RemoteOthers:
    """Asks the shell there."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        ticks = whole(shell.run("getconf CLK_TCK").out.decode(errors="replace").strip())
        self._ticks = ticks or TICKS

    def mark(self) -> Mark | None:
        """Return the state of now, by the clock there; None where the system does not report it."""
        lines = self._shell.run(SCRIPT).out.decode(errors="replace").splitlines()
        every = parse_cpu_time(lines[0]) if lines else None
        up = real(lines[1].split()[0]) if len(lines) > 1 and re.match(r"[0-9.]+ ", lines[1]) else None
        own = [own_ticks(line) for line in lines[2:]]
        if every is None or up is None or not own or own[0] is None:
            return None
        return Mark(up, (every.busy - every.stolen - sum(ticks or 0 for ticks in own)) / self._ticks)
