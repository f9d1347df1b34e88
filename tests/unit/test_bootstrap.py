"""`./tierscope` prepares what is missing, once, and says in one line what it cannot do.

The script is the real one, in a made checkout; the interpreter, the compiler and apt are made as well, and write
down how they were called. So it takes no network, no root and no minute.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = "cat cksum date dirname env find flock grep head ls mkdir mv readlink rm sed sh sleep sort tail touch".split()

PYTHON = """#!/bin/sh
case "$1 ${2-}" in
  "-c "*) exit 0 ;;
  "-m venv") echo venv >>"$CALLS"; mkdir -p "$3/bin"; ln -s "$(readlink -f "$0")" "$3/bin/python" ;;
  "-m pip")
    case "$*" in *--editable*) word=core ;; *) word=packages ;; esac
    echo $word >>"$CALLS"
    [ "${BREAK-}" != $word ] || { echo "cannot reach the index" >&2; exit 1; }
    [ "${KILL-}" != $word ] || { kill -9 $PPID; exit 1; }
    [ -z "${SLOW-}" ] || sleep 0.3
    printf '#!/bin/sh\\necho "cli $*"\\n' >"$(dirname "$0")/tierscope"; chmod +x "$(dirname "$0")/tierscope" ;;
  "-m pytest") shift 2; echo "pytest $*" ;;
esac
"""
COMPILER = "#!/bin/sh\ncat >/dev/null\n"
APT_CACHE = '#!/bin/sh\nsed -n "s/^$2 /  Candidate: /p" "$CANDIDATES"\n'
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
        for name in (*TOOLS, "ln", "chmod"):
            (self.bin / name).symlink_to(shutil.which(name) or pytest.skip(f"needs {name}"))
        for name in ("core", "cmake", "packaging", "requirements", "src/tierscope"):
            (self.root / name).mkdir(parents=True)
        self.lemon = folder / "include/lemon/network_simplex.h"
        self.pmemobj = folder / "include/libpmemobj.h"
        script = self.root / "tierscope"  # the headers that it looks for are made, too
        script.write_text((ROOT / "tierscope").read_text().replace("=/usr/include/", f"={folder}/include/"))
        script.chmod(0o755)
        shutil.copy(ROOT / "packaging/setup.sh", self.root / "packaging")
        for name in ("build", "run", "test"):
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
        return made | more

    def start(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), env=self.environment(**more), cwd="/", text=True, capture_output=True, check=False
        )

    def calls(self) -> list[str]:
        """What was called since the last question."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_first_start_prepares_and_the_second_does_not(checkout: Checkout) -> None:
    checkout.with_tools()
    first = checkout.start("run", "quick")
    assert (first.returncode, first.stdout) == (0, "cli run quick\n"), first.stderr
    assert checkout.calls() == ["venv", "packages", "core"]
    second = checkout.start("run", "quick", "peak=1 GB/s")
    assert (second.returncode, second.stdout, second.stderr) == (0, "cli run quick peak=1 GB/s\n", "")
    assert checkout.calls() == []


def test_only_what_changed_is_done_again(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    (checkout.root / "core/kernel.hpp").write_text("two")
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["core"]
    (checkout.root / "requirements/run.txt").write_text("run==2\n")
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["packages", "core"]
    (checkout.root / "core/kernel.hpp").unlink()
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["core"]


def test_a_touched_file_is_no_change(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    os.utime(checkout.root / "core/kernel.hpp", (4e9, 4e9))  # from the future: a clock that was set back
    checkout.start()
    assert checkout.calls() == []


def test_tests_bring_their_own_packages_once(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    result = checkout.start("test", "-k", "two words")
    assert result.stdout == "pytest -k two words\n"
    assert checkout.calls() == ["packages"]
    assert (checkout.root / ".venv/requirements.txt").read_text() == "build==1\nrun==1\ntest==1\n"
    checkout.start("test")
    checkout.start("run")
    assert checkout.calls() == []


@pytest.mark.parametrize("step", ["packages", "core"])
def test_a_killed_set_up_goes_on_at_the_next_start(checkout: Checkout, step: str) -> None:
    killed = checkout.with_tools().start(KILL=step)
    assert killed.returncode == -signal.SIGKILL or killed.returncode > 128
    checkout.calls()
    assert checkout.start("x").stdout == "cli x\n"
    # half-installed packages make the environment void; a half-built core does not
    assert checkout.calls() == (["venv", "packages", "core"] if step == "packages" else ["core"])


def test_a_failed_step_shows_the_end_of_its_log_and_what_to_try(checkout: Checkout) -> None:
    broken = checkout.with_tools().start(BREAK="packages")
    assert broken.returncode == 3
    assert "  | cannot reach the index" in broken.stderr
    assert "Python packages failed; check the network" in broken.stderr.splitlines()[-1]
    assert str(checkout.root / ".venv/setup.log") in broken.stderr.splitlines()[-1]
    assert checkout.start("x").stdout == "cli x\n"


def test_starts_at_once_prepare_once(checkout: Checkout) -> None:
    checkout.with_tools()
    started = [
        subprocess.Popen(
            checkout.command("x"), env=checkout.environment(SLOW="1"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in started] == [b"cli x\n"] * 3
    assert checkout.calls() == ["venv", "packages", "core"]


def test_a_moved_checkout_is_prepared_anew(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    assert checkout.start("x").stdout == "cli x\n"
    assert checkout.calls() == ["venv", "packages", "core"]


def test_it_works_through_a_symbolic_link(checkout: Checkout, tmp_path: Path) -> None:
    checkout.with_tools()
    link = tmp_path / "link"
    link.symlink_to(checkout.root / "tierscope")
    done = subprocess.run([link, "x"], env=checkout.environment(), text=True, capture_output=True, check=True)
    assert done.stdout == "cli x\n"


def test_another_compiler_builds_the_core_anew(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    checkout.tool("my++", COMPILER)
    checkout.start(CXX="my++")
    assert checkout.calls() == ["core"]
    checkout.start()
    assert checkout.calls() == []


@pytest.mark.parametrize(
    ("candidates", "line"),
    [
        (BOOKWORM, "sudo apt-get install -y g++ python3-venv"),
        (JAMMY, "sudo apt-get install -y g++-12 python3.11-venv"),
        ("", "sudo apt-get install -y g++ python3-venv"),
    ],
    ids=["bookworm", "jammy", "no lists"],
)
def test_without_root_it_prints_the_one_line(checkout: Checkout, candidates: str, line: str) -> None:
    checkout.candidates.write_text(candidates)
    refused = checkout.start("run", "quick")
    assert refused.returncode == 3
    assert refused.stderr.splitlines()[-1].endswith(line)
    assert checkout.calls() == []


def test_the_line_names_only_what_is_missing(checkout: Checkout) -> None:
    checkout.tool("python3", PYTHON)
    assert checkout.start().stderr.splitlines()[-1].endswith("sudo apt-get install -y g++")


@pytest.mark.parametrize("who", ["root", "sudo"])
def test_with_root_it_installs(checkout: Checkout, who: str) -> None:
    if who == "root":
        checkout.tool("id", "#!/bin/sh\necho 0\n")
    else:
        checkout.tool("sudo", '#!/bin/sh\nshift\n[ "$1" = true ] || exec "$@"\n')
    bring = f"cat >'{checkout.bin}/python3' <<'END'\n{PYTHON}END\n"
    bring += f"printf '{COMPILER}' >'{checkout.bin}/g++'\nchmod +x '{checkout.bin}/python3' '{checkout.bin}/g++'\n"
    checkout.tool("apt-get", APT_GET + bring)
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    apt, *rest = checkout.calls()
    assert apt.endswith("install --no-install-recommends g++ python3-venv")
    assert rest == ["venv", "packages", "core"]


WANTED = {"liblemon-dev": ("lemon", "the victim flow"), "libpmemobj-dev": ("pmemobj", "targets named pool:")}
"""Packages that a part of the core is built with: the header, by its name in Checkout, and what is absent without."""


def offers(checkout: Checkout, package: str, apt_get: str) -> None:
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text(f"{BOOKWORM}{package} 1.3.1+dfsg-6\n")
    checkout.tool("apt-get", APT_GET + apt_get)


def header(checkout: Checkout, package: str) -> Path:
    return Path(getattr(checkout, WANTED[package][0]))


def brings(path: Path) -> str:
    return f"mkdir -p '{path.parent}'\n: >'{path}'\n"


@pytest.mark.parametrize("package", WANTED)
def test_what_a_part_of_the_core_wants_is_installed_once_where_that_is_possible(
    checkout: Checkout, package: str
) -> None:
    offers(checkout.with_tools(), package, brings(header(checkout, package)))
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    assert [call.split()[-1] for call in checkout.calls()] == ["venv", package, "packages", "core"]
    again = checkout.start("x")
    assert (again.stderr, checkout.calls()) == ("", [])


@pytest.mark.parametrize("package", WANTED)
def test_without_what_is_wanted_it_goes_on_and_says_so_once(checkout: Checkout, package: str) -> None:
    offers(checkout.with_tools(), package, "exit 1\n")
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    assert done.stderr.count(f"going on without {WANTED[package][1]}") == 1
    assert [call.split()[-1] for call in checkout.calls()] == ["venv", package, "packages", "core"]
    (checkout.root / "core/kernel.hpp").write_text("two")
    assert package not in checkout.start("x").stderr
    assert checkout.calls() == ["core"]


def test_without_root_or_lists_what_is_wanted_is_named_and_not_fetched(checkout: Checkout) -> None:
    done = checkout.with_tools().start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n")
    for package in WANTED:
        assert f"sudo apt-get install -y {package}" in done.stderr
    assert checkout.calls() == ["venv", "packages", "core"]


@pytest.mark.parametrize("package", WANTED)
def test_a_wanted_header_that_comes_or_goes_builds_the_core_anew(checkout: Checkout, package: str) -> None:
    checkout.with_tools().start()
    checkout.calls()
    header(checkout, package).parent.mkdir(parents=True)
    header(checkout, package).write_text("one")
    checkout.start()
    assert checkout.calls() == ["core"]
    checkout.start()
    assert checkout.calls() == []
    header(checkout, package).unlink()
    checkout.start()
    assert checkout.calls() == ["core"]


@pytest.mark.parametrize("package", WANTED)
def test_tests_bring_what_is_wanted_with_what_else_they_need(checkout: Checkout, package: str) -> None:
    offers(checkout.with_tools(), package, brings(header(checkout, package)))
    assert checkout.start("test").stdout == "pytest \n"
    (apt,) = [call for call in checkout.calls() if call.startswith("apt-get")]
    assert apt.endswith(f"install --no-install-recommends clang {package}")


def test_root_without_lists_renews_them_first(checkout: Checkout) -> None:
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text("")
    refused = checkout.start()
    assert refused.returncode == 3
    assert [call.split()[-1] for call in checkout.calls()] == ["update"]
    assert "take a newer release" in refused.stderr.splitlines()[-1]


@pytest.mark.parametrize("variable", ["TIERSCOPE_PYTHON", "CXX"])
def test_a_wrong_tool_is_named_and_never_replaced(checkout: Checkout, variable: str) -> None:
    refused = checkout.with_tools().start(**{variable: "/no/such/tool"})
    assert refused.returncode == 3
    assert f"{variable}=/no/such/tool" in refused.stderr.splitlines()[-1]
    assert checkout.calls() == []


def test_an_environment_of_another_maker_is_left_alone(checkout: Checkout) -> None:
    mine = checkout.with_tools().root / ".venv/mine"
    mine.mkdir(parents=True)
    refused = checkout.start()
    assert refused.returncode == 3
    assert "move it away" in refused.stderr
    assert mine.exists()


def test_the_trial_runs_what_the_readme_says(root: Path) -> None:
    (line,) = [line for line in (root / "packaging/try-fresh").read_text().splitlines() if "|| commands=(" in line]
    trial = line.partition("commands=(")[2].rstrip(")").strip('"').split('" "')
    assert trial == ["./tierscope run quick", "./tierscope test"]
    readme = (root / "README.md").read_text()
    assert all(command in readme for command in trial)
