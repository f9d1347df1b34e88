"""Checks that a wheel may run where its name claims: `packaging/check_wheel.py WHEEL SUM`.

The tag manylinux_2_17 promises a program that starts on each Linux with glibc 2.17 or newer. Both cores that every user
needs are static, so they need no library. The library for crash tests needs glibc alone, and no symbol that is newer
than the tag. The core for pools needs the libpmemobj of its building system, and states here what else; it refuses with
status 3 where that is absent (docs/decisions/0036-a-release-by-one-command.md). SUM: what packaging/core-sum prints.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

STATIC = ("tierscope-core", "tierscope-core-traced")
SHADOW = "libtierscope-shadow.so"  # of glibc alone: the program that it is preloaded into may lack all else
GLIBC = (
    "libc.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
    "ld-linux-riscv64-lp64d.so.1",
)  # fmt: skip
OF_ITS_SYSTEM = ("tierscope-core-pmdk",)  # optional, and of no use without the system's libpmemobj
TAG = (2, 17)


def extract(wheel: Path, folder: Path) -> tuple[dict[str, Path], str]:
    """Return the native files of a wheel by name, extracted into `folder`, and the sum that it records."""
    with zipfile.ZipFile(wheel) as archive:
        scripts = [name for name in archive.namelist() if ".data/scripts/" in name]
        sums = [name for name in archive.namelist() if name.endswith("/share/tierscope/core.sum")]
        found = {Path(name).name: Path(archive.extract(name, folder)) for name in scripts}
        return found, archive.read(sums[0]).decode().strip() if sums else ""


def promised(wheel: Path) -> tuple[int, int]:
    """Return the version of glibc in the platform tag of a wheel: 'x-py3-none-manylinux_2_17_x86_64.whl' -> (2, 17)."""
    found = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    return (int(found[1]), int(found[2])) if found else TAG


def newer(path: Path, tag: tuple[int, int]) -> list[str]:
    """Return the symbols of an ELF file whose version of glibc is newer than the tag: 'arc4random@GLIBC_2.36'."""
    command = ["readelf", "--wide", "--dyn-syms", str(path)]
    text = subprocess.run(
        command, text=True, capture_output=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    ).stdout
    found = re.findall(r"UND (\S+@GLIBC_(\d+)\.(\d+)\S*)", text)
    return [name for name, major, minor in found if (int(major), int(minor)) > tag]


def needs(path: Path) -> tuple[list[str], str]:
    """Return the shared libraries that an ELF file asks for, and the newest version of glibc among its symbols."""
    command = ["readelf", "--wide", "--dynamic", "--version-info", "--program-headers", str(path)]
    text = subprocess.run(
        command, text=True, capture_output=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    ).stdout
    libraries = re.findall(r"\(NEEDED\).*\[(.+)\]", text) + re.findall(
        r"Requesting program interpreter: ([^\]]+)", text
    )
    versions = re.findall(r"Name: GLIBC_(\d[\d.]*)", text)
    return libraries, max(versions, key=lambda version: [int(part) for part in version.split(".")], default="")


def faults(files: dict[str, Path], recorded: str, expected: str, tag: tuple[int, int] = TAG) -> list[str]:
    """Return what keeps this wheel from being released, a sentence each. tag: the version of glibc that it promises."""
    found = [f"{name} is not in the wheel" for name in (*STATIC, SHADOW) if name not in files]
    asked = {name: needs(files[name])[0] for name in STATIC if name in files}
    found += [
        f"{name} is not static, it needs {', '.join(libraries)}; is libc.a missing?"
        for name, libraries in asked.items()
        if libraries
    ]
    if SHADOW in files and (more := set(needs(files[SHADOW])[0]) - set(GLIBC)):
        found.append(f"{SHADOW} needs {', '.join(sorted(more))}, which the preloaded program may lack")
    for name, path in sorted(files.items()):
        late = [] if name in OF_ITS_SYSTEM or not _is_native(path) else newer(path, tag)
        if late:
            found.append(f"{name} needs symbols newer than glibc {tag[0]}.{tag[1]} of the tag: {', '.join(late)}")
    if recorded != expected:
        found.append(f"it records the sum {recorded or 'of nothing'}, and the sources here have {expected}")
    return found


def described(files: dict[str, Path]) -> list[str]:
    """Return a line for each native file: static, or what it needs."""
    return [f"{name}: {_need(path)}" for name, path in sorted(files.items()) if _is_native(path)]


def _is_native(path: Path) -> bool:
    return path.read_bytes()[:4] == b"\x7fELF"


def _need(path: Path) -> str:
    libraries, glibc = needs(path)
    asked = [library for library in libraries if "ld-linux" not in library]
    return f"needs glibc {glibc}, {' '.join(asked)}" if asked else "static"


def main(wheel: Path, expected: str) -> int:
    """Print what the wheel contains; 3 with its faults on stderr if it may not be released."""
    with tempfile.TemporaryDirectory() as folder:
        files, recorded = extract(wheel, Path(folder))
        lines, found = described(files), faults(files, recorded, expected, promised(wheel))
    size = f"{wheel.stat().st_size / 2**20:.1f} MiB"
    shown = (f"{wheel.name}, {size}", *lines, f"sources {recorded}")
    sys.stdout.writelines(f"release: {line}\n" for line in shown)
    sys.stderr.writelines(f"release: {fault}\n" for fault in found)
    return 3 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
