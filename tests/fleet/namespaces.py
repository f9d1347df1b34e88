"""Hosts with a network, a link and a name of their own: one network namespace each, joined to this machine by a pair
of virtual links. A link that goes down is what a dead host or a pulled cable looks like, which loopback cannot show.

`Space.remove` ends its processes, the namespace and the link. An sshd that goes to the
background by itself ends in a namespace, so it stays in the foreground.
"""

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

SUBNET = "10.{run}.{number}.{end}"  # of /30 each: this machine is .1, the host .2; both ends are on this machine
RUNS = 64, 128  # first second octet, and how many: two test runs at the same time use different ones


def lacking() -> str:
    """Return why no namespace can be made here; "" if one can."""
    name = f"tierscope{os.getpid()}"
    try:
        if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
            return "network namespaces need root and CAP_SYS_ADMIN: run this test with sudo"
        subprocess.run(["ip", "netns", "del", name], check=True, capture_output=True)
    except FileNotFoundError:
        return "no ip: sudo apt-get install -y --no-install-recommends iproute2"
    return ""


class Space:
    """One namespace. number: different for each; `inside` begins a command line that runs in it, under its own name."""

    def __init__(self, name: str, number: int) -> None:
        self._name, self._link = f"tierscope{os.getpid()}-{number}", f"ts{os.getpid()}-{number}"
        sweep()
        run = RUNS[0] + os.getpid() % RUNS[1]
        here, self.address = (SUBNET.format(run=run, number=number, end=end) for end in (1, 2))
        rename = f'hostname {name} && exec "$@"'
        self.inside = ["ip", "netns", "exec", self._name, "unshare", "--uts", "sh", "-c", rename, "sh"]
        self._ip("netns", "add", self._name)
        try:
            self._ip("link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", self._name)
            self._ip("address", "add", f"{here}/30", "dev", self._link)
            self._ip("link", "set", self._link, "up")
            self._ip("-n", self._name, "address", "add", f"{self.address}/30", "dev", "eth0")
            self._ip("-n", self._name, "link", "set", "lo", "up")
            self._ip("-n", self._name, "link", "set", "eth0", "up")
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """End the namespace; the link goes with it."""
        _remove(self._name)

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)


def sweep() -> None:
    """Remove what a test run left behind that was killed: its routes would lead to dead hosts."""
    for path in Path("/run/netns").glob("tierscope*-*"):
        found = re.fullmatch(r"tierscope([0-9]+)-[0-9]+", path.name)
        if found and not Path(f"/proc/{found[1]}").exists():
            _remove(path.name)


def _remove(name: str) -> None:
    found = subprocess.run(["ip", "netns", "pids", name], check=False, capture_output=True, text=True)
    for pid in found.stdout.split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    subprocess.run(["ip", "link", "del", name.replace("tierscope", "ts")], check=False, capture_output=True)
    subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
