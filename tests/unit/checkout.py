"""A made checkout in which the real script runs: the interpreter, the compiler and apt are made.

They write down how they were called. So it takes no network, no root and no minute.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = """
basename cat chmod cksum cut date dirname env find flock grep head ln ls mkdir mv readlink rm sed sha256sum sh sleep
sort tail touch uname
""".split()
READERS = ("core-sum", "take_cores.py")
"""The files of packaging/ that set-up runs."""

PYTHON = """#!/bin/sh
case "$1 ${2-}" in
  "-c "*) exit 0 ;;
  "-m venv") echo venv >>"$CALLS"; mkdir -p "$3/bin"; ln -s "$(readlink -f "$0")" "$3/bin/python" ;;
  "-m pip")
    case "$*" in *wheel.cmake=false*) word=python ;; *--editable*) word=core ;; *) word=packages ;; esac
    echo $word >>"$CALLS"
    case "$*" in *build.targets=*) targets=${*#*build.targets=}; echo "${targets%% *}" >"$CALLS.targets" ;; esac
    [ "${BREAK-}" != $word ] || { echo "cannot reach the index" >&2; exit 1; }
    [ "${KILL-}" != $word ] || { kill -9 $PPID; exit 1; }
    [ -z "${SLOW-}" ] || sleep 0.3
    printf '#!/bin/sh\\necho "cli $*"\\n' >"$(dirname "$0")/tierscope"; chmod +x "$(dirname "$0")/tierscope" ;;
  "-m pytest") shift 2; echo "pytest $*" ;;
  */take_cores.py*) exec "$REAL_PYTHON" "$@" ;;
esac
"""
COMPILER = "#!/bin/sh\ncat >/dev/null\n"
APT_CACHE = r"""#!/bin/sh
shift
for name in "$@"; do sed -n "s/^$name /$name:\n  Installed: (none)\n  Candidate: /p" "$CANDIDATES"; done
"""
APT_GET = '#!/bin/sh\necho "apt-get $*" >>"$CALLS"\n'
BOOKWORM = "g++ 4:12.2.0-3\npython3-venv 3.11.2-1+b1\nclang 1:14.0-55.7~deb12u1\n"
JAMMY = (
    "g++ 4:11.2.0-1ubuntu1\ng++-12 12.3.0-1ubuntu1~22.04\npython3-venv 3.10.6-1~22.04\npython3.11-venv 3.11.0~rc1-1\n"
)


class Checkout:
    """A made clone, a PATH of made tools, and the record of their calls."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clone"
        self.bin = folder / "bin"
        self.calls_file = folder / "calls"
        self.candidates = folder / "candidates"
        self.bin.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or pytest.skip(f"needs {name}"))
        for name in ("core", "cmake", "packaging", "requirements", "src/tierscope"):
            (self.root / name).mkdir(parents=True)
        self.lemon = folder / "include/lemon/network_simplex.h"
        self.pmemobj = folder / "include/libpmemobj.h"
        script = self.root / "tierscope"  # the headers that it looks for are made, too
        script.write_text((ROOT / "tierscope").read_text().replace("=/usr/include/", f"={folder}/include/"))
        script.chmod(0o755)
        for path in (*(ROOT / "packaging").glob("setup*.sh"), *(ROOT / f"packaging/{name}" for name in READERS)):
            shutil.copy(path, self.root / "packaging")
        (self.root / "CMakeLists.txt").write_text("one")
        for name in ("build", "run", "test", "site"):
            (self.root / f"requirements/{name}.txt").write_text(f"{name}==1\n")
        (self.root / "core/kernel.hpp").write_text("one")
        self.tool("id", "#!/bin/sh\necho 1000\n")
        self.tool("sudo", "#!/bin/sh\nexit 1\n")
        self.tool("apt-get", APT_GET)
        self.tool("apt-cache", APT_CACHE)
        self.tool("dpkg", "#!/bin/sh\n")
        self.candidates.write_text(BOOKWORM)

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def with_tools(self) -> "Checkout":
        self.tool("python3", PYTHON)
        self.tool("g++", COMPILER)
        return self

    def command(self, *words: str) -> list[str]:
        return [str(self.root / "tierscope"), *words]

    def environment(self, **more: str) -> dict[str, str]:
        made = {"PATH": str(self.bin), "CALLS": str(self.calls_file), "CANDIDATES": str(self.candidates)}
        return made | {"REAL_PYTHON": sys.executable} | more

    def start(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), env=self.environment(**more), cwd="/", text=True, capture_output=True, check=False
        )

    def targets(self) -> str:
        """The purpose of the last build of the core: the first cores, or all."""
        return self.calls_file.with_name("calls.targets").read_text().strip()

    def calls(self) -> list[str]:
        """The calls since the last question."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return lines
