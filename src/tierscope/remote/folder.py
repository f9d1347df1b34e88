"""The temporary folder on the other machine, with copies of the cores that are used there.

Places are tried one after the other until a copy is whole, by its SHA-256, and starts: one may be full, or mounted
`noexec`. The shell removes the folder at its own exit, which is also what the loss of a connection leads to.
"""

import hashlib
from pathlib import Path
from shlex import quote

from tierscope.errors import MachineError
from tierscope.remote.channel import Channel
from tierscope.remote.connection import Line, last_line
from tierscope.remote.kind import made_for
from tierscope.remote.shell import Said, Shell

PLACES = ('"${TMPDIR:-/tmp}"', "/var/tmp", "/dev/shm", '"$HOME"')  # noqa: S108 (of another machine)
MAKE = (
    "d=$(mktemp -d {place}/tierscope-XXXXXX) && trap 'rm -rf -- \"$d\"' EXIT && trap 'exit 1' HUP INT TERM && "
    'printf %s "$d"'
)
"""In one command, so that no folder stays behind whenever the connection is lost."""
CHUNK = 1 << 16
CANNOT_EXECUTE = 126  # of a shell: no permission, as where a file system is mounted noexec
SYSTEM = "Linux"


class Folder:
    """A folder there, once a core is copied."""

    def __init__(self, connection: Line, shell: Shell) -> None:
        self._connection, self._shell, self._word = connection, shell, connection.word
        self._path = ""
        self._copies: dict[Path, str] = {}
        self._files = 0
        self.kind = self._kind()

    def copy(self, core: Path) -> str:
        """Return the path there of a copy of a core, made at the first time; MachineError where it cannot be used."""
        if core not in self._copies:
            own = made_for(core, self.kind, self._word)
            self._copies[core] = self._copied(own) if self._path else self._placed(own)
        return self._copies[core]

    def new_name(self) -> str:
        """Return a path for another file in the folder."""
        self._files += 1
        return f"{self._path}/{self._files}"

    def _kind(self) -> str:
        said = self._shell.run("uname -s && uname -m")
        system, _, kind = said.out.decode(errors="replace").strip().partition("\n")
        if said.status or system != SYSTEM:
            what = system or said.why()
            raise MachineError(
                f"{self._word} does not run Linux ({last_line(what.encode())}); the core measures Linux alone"
            )
        return kind

    def _placed(self, core: Path) -> str:
        """Make the folder in the first place that takes a copy and lets it start."""
        refused = []
        for place in PLACES:
            made = self._shell.run(MAKE.format(place=place))
            self._path = made.out.decode(errors="replace").strip()
            if made.status or not self._path.startswith("/"):
                refused.append(made.why() or f"{place} is not a whole path there")
                self._shell.run('rm -rf -- "$d"')
                continue
            try:
                return self._copied(core)
            except Unusable as error:
                refused.append(f"{self._path}: {error}")
                self._shell.run(f"rm -rf -- {quote(self._path)}")
        self._path = ""
        raise MachineError(
            f"{self._word} has no temporary space for the core ({core.stat().st_size} bytes): "
            f"{'; '.join(dict.fromkeys(refused))}; free some there, or set TMPDIR there to a folder that can be written"
        )

    def _copied(self, core: Path) -> str:
        """Copy a core and try it; Unusable where another place may do."""
        content = core.read_bytes()
        path = f"{self._path}/{core.name.replace('/', '-')}"
        self._write(path, content)
        said = self._shell.run(f"sha256sum < {quote(path)} && chmod 700 {quote(path)}")
        if said.status or said.out.split()[:1] != [hashlib.sha256(content).hexdigest().encode()]:
            raise Unusable(f"the copy is incomplete: {said.why()}")
        self._tried(self._shell.run(f"{quote(path)} --version"), core)
        return path

    def _write(self, path: str, content: bytes) -> None:
        channel = Channel(self._connection, f"umask 077; exec cat > {quote(path)}")
        try:
            for at in range(0, len(content), CHUNK):
                channel.send(content[at : at + CHUNK])
        except BrokenPipeError:
            pass  # it ended; its last output states the reason
        finally:
            try:
                status = channel.finish()
                said = channel.last_words()
            finally:
                channel.close()
        if status:
            raise Unusable(last_line(said))

    def _tried(self, said: Said, core: Path) -> None:
        if said.status == CANNOT_EXECUTE and b"Permission denied" in said.errors:
            raise Unusable(f"programs cannot be started there: {said.why()}")
        if said.status:
            raise MachineError(
                f"{self._word}: {core} does not start there (status {said.status}: {said.why()}); the static core that "
                "./tierscope builds needs no library of that machine, and Linux 3.2 or newer"
            )


class Unusable(Exception):  # noqa: N818 (no error of the user: the next place is tried)
    """A place that does not take a core."""
