"""An `ssh` that needs no server: what is to run on the other machine runs here, in an environment that a test makes.

`far/bin` is first on the PATH there, `far/tmp` is its TMPDIR. The mode, of `far/mode`, is what happens to a
connection: `good`, `hang`, `refuse`, `unknown` (its host key), `greet` (a greeting before the shell), `no-shell`.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

SSH = """#!/bin/sh
far={far}
printf '%s\\n' "$*" >>$far/log
mode=$(cat $far/mode)
case " $* " in
*" -O exit "*) exit 0 ;;
*" -f "*)
  case $mode in
  hang) exec sleep 60 ;;
  refuse) echo "me@far: Permission denied (publickey)." >&2; exit 255 ;;
  unknown) echo "Host key verification failed." >&2; exit 255 ;;
  esac
  exit 0 ;;
esac
case $mode in
no-shell) echo "This account is currently not available."; exit 1 ;;
greet) printf 'Welcome to far\\nLast login: never\\n' ;;
esac
TMPDIR=$far/tmp HOME=$far/home PATH=$far/bin:$PATH
export TMPDIR HOME PATH
exec sh
"""


@dataclass
class Far:
    """The other machine."""

    root: Path

    def mode(self, mode: str) -> None:
        (self.root / "mode").write_text(mode)

    def program(self, name: str, script: str) -> Path:
        """Put a program first on the PATH there."""
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def left(self) -> list[Path]:
        """The files in the temporary folder there."""
        return sorted((self.root / "tmp").iterdir())

    def log(self) -> list[str]:
        """The command lines of ssh so far."""
        return (self.root / "log").read_text().splitlines()


def far_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    """Put the fake first on the PATH of this test."""
    root = folder / "far"
    for name in ("bin", "tmp", "home", "ours"):
        (root / name).mkdir(parents=True)
    ssh = root / "ours/ssh"
    ssh.write_text(SSH.format(far=root))
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}/ours:/usr/local/bin:/usr/bin:/bin")
    far = Far(root)
    far.mode("good")
    return far
