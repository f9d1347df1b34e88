"""`./tierscope` brings packages of the system where it may, and names them where it may not; in a made checkout."""

import re
from pathlib import Path

import pytest

from checkout import APT_GET, BOOKWORM, COMPILER, JAMMY, PYTHON, Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


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
def test_packages_of_optional_parts_are_installed_once_where_that_is_possible(checkout: Checkout, package: str) -> None:
    offers(checkout.with_tools(), package, brings(header(checkout, package)))
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    assert [call.split()[-1] for call in checkout.calls()] == ["venv", package, "packages", "core"]
    again = checkout.start("x")
    assert (again.stderr, checkout.calls()) == ("", [])


@pytest.mark.parametrize("package", WANTED)
def test_without_optional_parts_it_continues_and_reports_it_once(checkout: Checkout, package: str) -> None:
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
def test_a_header_that_comes_or_goes_rebuilds_the_core(checkout: Checkout, package: str) -> None:
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
    assert checkout.start("test").stdout == "pytest --numprocesses=auto -m not slow\n"
    (apt,) = [call for call in checkout.calls() if call.startswith("apt-get")]
    assert apt.endswith(f"install --no-install-recommends clang {package}")


def test_packages_of_slow_tests_come_with_the_slow_tests(checkout: Checkout) -> None:
    offers(checkout.with_tools(), "chromium", "")
    assert checkout.start("test").stdout == "pytest --numprocesses=auto -m not slow\n"
    assert "chromium" not in " ".join(checkout.calls())
    every = checkout.start("test", "all")
    assert every.stdout == "pytest --numprocesses=auto\n", every.stderr
    assert [call.split()[-1] for call in checkout.calls()] == ["chromium", "packages"]
    assert "site==1" in (checkout.root / ".venv/requirements.txt").read_text().split()
    again = checkout.start("test")
    assert (again.stderr, checkout.calls()) == ("", [])
    (checkout.root / "CMakeLists.txt").write_text("two")
    checkout.start("test")
    assert checkout.calls() == ["core"]  # its packages came with those of all tests


def test_root_without_lists_renews_them_first(checkout: Checkout) -> None:
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text("")
    refused = checkout.start()
    assert refused.returncode == 3
    assert [call.split()[-1] for call in checkout.calls()] == ["update"]
    assert "take a newer release" in refused.stderr.splitlines()[-1]


def test_lists_that_lack_one_package_are_renewed_and_the_refusal_names_it(checkout: Checkout) -> None:
    """As those of an Ubuntu without `universe`: installing the compiler alone would fail later, and name less."""
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text("g++ 4:13.2.0-7ubuntu1\n")
    refused = checkout.start()
    assert refused.returncode == 3
    assert [call.split()[-1] for call in checkout.calls()] == ["update"]
    assert "no package list of this system has python3-venv" in refused.stderr.splitlines()[-1]
    assert "universe" in refused.stderr.splitlines()[-1]


ROOT = Path(__file__).resolve().parents[2]
PRESENT = {"g++", "gcc", "binutils", "python3-venv", "util-linux"}  # compiled with g++, or part of every system
SERVERS = {"openssh-server", "slurm-wlm", "slurmd", "slurmctld", "munge"}
"""Packages that start a service when they are installed: who tests fleets brings them, set-up never does."""


def test_set_up_of_the_tests_brings_every_package_that_a_skip_names() -> None:
    """In this suite alone: a package that some message of Tierscope itself names may be one that no test needs."""
    names = re.findall(r'^  names="(?:[$]names )?(.*?)"', (ROOT / "packaging/setup_apt.sh").read_text(), re.MULTILINE)
    brought = {name for line in names for name in line.split()}
    texts = [path.read_text() for path in (ROOT / "tests").rglob("*.py") if "bootstrap" not in path.name]
    lines = [line for text in texts for line in re.findall(r"apt-get install -y ([a-z0-9+.\- ]*[a-z0-9+])", text)]
    asked = {name for line in lines for name in line.split() if not name.startswith("-")}
    assert len(asked) > 10
    assert asked - brought - PRESENT - SERVERS == set()


def test_it_prints_all_that_it_installs_before_it_installs_anything(checkout: Checkout) -> None:
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text(f"{BOOKWORM}liblemon-dev 1.3\nrobin-map-dev 1.0\n")
    lines = checkout.start("test").stderr.splitlines()  # the made apt brings nothing
    first = next(number for number, line in enumerate(lines) if "system packages (" in line)
    begin = lines.index("tierscope: set-up installs these packages with apt, unless TIERSCOPE_APT=no forbids it:")
    needed, lemon, robin, tests = lines[begin + 1 : first]
    assert needed == "tierscope:   set-up cannot go on without: g++ python3-venv"
    assert lemon == "tierscope:   for the victim flow of run neighbors: liblemon-dev"
    assert robin == "tierscope:   for the structure robin_map: robin-map-dev"
    assert tests.startswith("tierscope:   for some tests: clang doctest-dev ")


def test_without_root_it_announces_nothing(checkout: Checkout) -> None:
    assert "set-up installs" not in checkout.with_tools().start("x").stderr


def test_no_apt_names_the_command_and_ends_where_nothing_can_work(checkout: Checkout) -> None:
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    refused = checkout.start("run", "quick", TIERSCOPE_APT="no")
    assert refused.returncode == 3
    assert refused.stderr.splitlines()[-1].endswith("sudo apt-get install -y g++ python3-venv")
    assert "set-up installs" not in refused.stderr
    assert checkout.calls() == []


@pytest.mark.parametrize("word", ["x", "test"])
def test_no_apt_continues_with_what_is_there(checkout: Checkout, word: str) -> None:
    checkout.with_tools().tool("id", "#!/bin/sh\necho 0\n")
    checkout.candidates.write_text(f"{BOOKWORM}liblemon-dev 1.3\n")
    done = checkout.start(word, TIERSCOPE_APT="no")
    assert done.returncode == 0, done.stderr
    assert "going on without the victim flow of run neighbors: sudo apt-get install -y liblemon-dev" in done.stderr
    lanes = "going on without what some tests need: sudo apt-get install -y clang"
    assert (lanes in done.stderr) == (word == "test")
    assert checkout.calls() == ["venv", "packages", "core"]


def test_another_word_than_yes_and_no_is_an_error(checkout: Checkout) -> None:
    refused = checkout.with_tools().start("x", TIERSCOPE_APT="never")
    assert refused.returncode == 2
    assert refused.stderr == "tierscope: TIERSCOPE_APT=never: expected yes or no; try TIERSCOPE_APT=no\n"
    assert checkout.calls() == []
