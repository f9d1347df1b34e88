"""The files copied to a host (the static core, a plan and a shell script), and its answer as a `HostReport`.

A host needs a POSIX shell, awk and the small programs of coreutils or busybox, and no Python. A file is copied once:
its folder there has the name of the checksum of all three.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tierscope.core.find import find_core
from tierscope.errors import MachineError, reason
from tierscope.files import write_atomically
from tierscope.fleet.plan import FleetPlan

SCRIPT = Path(__file__).with_name("host.sh")
CORE = "tierscope-core"


@dataclass(frozen=True)
class Payload:
    """Names and contents of the files."""

    files: dict[str, bytes]

    @cached_property
    def sums(self) -> dict[str, str]:
        """Return the SHA-256 of each file, in hex."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """Return sixteen hex digits of all of them: the name of the folder on a host."""
        return hashlib.sha256("\n".join(sorted(self.sums.values())).encode()).hexdigest()[:16]

    def place(self, folder: Path) -> Path:
        """Write the files below `folder` unless they are there; return their folder."""
        own = folder / self.digest
        try:
            own.mkdir(parents=True, exist_ok=True)
            for name, content in self.files.items():
                path = own / name
                if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != self.sums[name]:
                    write_atomically(path, content)
                path.chmod(0o700 if name == CORE else 0o600)
        except OSError as error:
            raise MachineError(f"the core cannot be copied to {own}: {reason(error)}; name another folder") from error
        return own


def payload_of(plan: FleetPlan) -> Payload:
    """Return what a host needs for a plan; MachineError without a core."""
    core = find_core()
    try:
        content = core.read_bytes()
    except OSError as error:
        raise MachineError(f"{core} cannot be read: {reason(error)}; build it or correct TIERSCOPE_CORE") from error
    return Payload({CORE: content, "plan": plan.text.encode(), "host.sh": SCRIPT.read_bytes()})
