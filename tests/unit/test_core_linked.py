"""The second core, linked with libpmemobj: who runs where, and the message when it or its library is absent."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from made import one_group
from tierscope import core
from tierscope.core import find
from tierscope.errors import MachineError
from tierscope.record.experiment import Target, Workload
from tierscope.record.work.key import KeyedWork

HELLO = (
    '{"fact":"hello","version":"0.1.0","compiler":"made",'
    '"clock":{"source":"%s","hz":2e9,"resolution_s":1e-9,"read_cost_s":2e-8}}'
)
ABSENT = "error while loading shared libraries: libpmemobj.so.1: cannot open shared object file"
BRING = "sudo apt-get install -y libpmemobj-dev, then run TIERSCOPE_WHEEL=no ./tierscope of a checkout"
NODE = one_group("add", (0,), 4096)
SIMULATED = msgspec.structs.replace(
    NODE,
    target=Target.parse("sim:flat"),
    workload=Workload(kernel="map", footprint_bytes=4096, work=KeyedWork(count=100)),
)
POOL = msgspec.structs.replace(NODE, target=Target.parse("pool:/x"))

Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """A shell script under a name; TIERSCOPE_CORE names the first core."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TIERSCOPE_CORE", str(tmp_path / "core"))

    def write(name: str, script: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write


STRUCTURE = {"name": "map", "available": True, "reason": "", "persistent": False, "summary": "", "source": ""}
BUILD = {"version": "0.1.0", "compiler": "made", "kernels": [], "targets": [], "structures": [STRUCTURE]}


def says(name: str) -> str:
    """A core with one structure, and a session whose clock carries a name."""
    hello = HELLO % name
    clock = msgspec.json.decode(hello)["clock"]
    facts = msgspec.json.encode({"fact": "prepared", "groups": [], "clock": clock}).decode()
    return (
        f"""if [ "$1" = catalogue ]; then echo '{msgspec.json.encode(BUILD).decode()}'; exit; fi\n"""
        f"""while [ "$1" != --samples ]; do shift; done; : >"$2"; echo '{hello}'\n"""
        f"""while read line; do case "$line" in prepare*) echo '{facts}';; esac; done"""
    )


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(MachineError) as caught:
        act()
    return str(caught.value)


def test_a_session_runs_on_the_first_core_until_a_pool_is_named(put: Put) -> None:
    put("core", says("first"))
    put("core-pmdk", says("linked"))
    with core.Session() as session:
        session.prepare([NODE])
        assert session.clock.source == "first"
        session.prepare([NODE, POOL])
        assert session.clock.source == "linked"
        session.prepare([NODE])
        assert session.clock.source == "linked"


def test_a_source_that_is_a_pool_counts_as_well(put: Put) -> None:
    put("core", says("first"))
    put("core-pmdk", says("linked"))
    with core.Session() as session:
        session.prepare([msgspec.structs.replace(NODE, source=POOL.target)])
        assert session.clock.source == "linked"


def test_without_a_second_core_a_pool_is_refused_and_the_session_lives(put: Put) -> None:
    first = put("core", says("first"))
    with core.Session() as session:
        message = refusal(lambda: session.prepare([POOL]))
        assert message == f"targets named pool: need {first}-pmdk, which was not built; {find.BRING}"
        assert BRING in message
        session.prepare([NODE])


def test_a_structure_on_simulated_memory_has_a_core_of_its_own(put: Put) -> None:
    put("core", says("first"))
    put("core-traced", says("traced"))
    with core.Session() as session:
        session.prepare([msgspec.structs.replace(NODE, target=SIMULATED.target)])
        assert session.clock.source == "first"
        session.prepare([SIMULATED])
        assert session.clock.source == "traced"


def test_without_that_core_the_structure_is_refused(put: Put) -> None:
    first = put("core", says("first"))
    with core.Session() as session:
        message = refusal(lambda: session.prepare([SIMULATED]))
    assert message.startswith(f"structures on sim: and emu: need {first}-traced, which was not built; run ./tierscope")


def test_the_traced_core_is_next_to_each_of_the_others(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = put("core-traced", "")
    for name in ("core", "core-pmdk", "core-traced"):
        monkeypatch.setenv("TIERSCOPE_CORE", str(put(name, "")))
        assert core.find_traced_core() == traced


def test_a_library_that_the_traced_core_lacks_is_named(put: Put) -> None:
    put("core", says("first"))
    put("core-traced", f'echo "tierscope-core-traced: {ABSENT}" >&2; exit 127')
    with core.Session() as session:
        assert refusal(lambda: session.prepare([SIMULATED])).startswith("tierscope-core-traced cannot be started: ")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (f"core-pmdk: {ABSENT}", "libpmemobj.so.1: cannot open shared object file"),
        (
            "Error loading shared library libpmemobj.so.1: No such file (needed by core-pmdk)",
            "libpmemobj.so.1: No such",
        ),
        (
            "core-pmdk: /lib/libpmemobj.so.1: version `LIBPMEMOBJ_9' not found (required by core-pmdk)",
            "version `LIBPMEMOBJ_9' not found",
        ),
    ],
)
def test_a_library_that_is_gone_is_named_with_what_brings_it(put: Put, words: str, why: str) -> None:
    put("core", says("first"))
    put("core-pmdk", f'echo "{words.replace("`", chr(92) + "`")}" >&2; exit 127')
    with core.Session() as session:
        message = refusal(lambda: session.prepare([POOL]))
    assert message.startswith(f"tierscope-core-pmdk cannot be started: {why}")
    assert BRING in message


def catalogue_of(name: str) -> str:
    target = {"name": "pool", "word": "pool:PATH", "summary": name, "available": name == "linked", "reason": ""}
    found = {"version": name, "compiler": "made", "kernels": [], "targets": [target]}
    return f"echo '{msgspec.json.encode(found).decode()}'"


@pytest.mark.parametrize("second", ["exit 127", "kill -SEGV $$", ""])
def test_the_catalogue_needs_no_second_core(put: Put, second: str) -> None:
    put("core", catalogue_of("first"))
    if second:
        put("core-pmdk", second)
    (target,) = core.catalogue().targets
    assert (target.summary, target.available) == ("first", False)


def test_a_run_without_a_pool_asks_the_first_core_alone(put: Put) -> None:
    put("core", catalogue_of("first"))
    put("core-pmdk", catalogue_of("linked"))
    assert not core.catalogue(pools=False).targets[0].available


def test_the_catalogue_shows_the_targets_of_the_second_core(put: Put) -> None:
    put("core", catalogue_of("first"))
    put("core-pmdk", catalogue_of("linked"))
    found = core.catalogue()
    assert (found.version, found.targets[0].available) == ("first", True)


def test_a_core_is_asked_for_its_catalogue_once(put: Put, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    put("core", f"{catalogue_of('first')}; echo first >> {asked}")
    put("core-pmdk", f"{catalogue_of('linked')}; echo linked >> {asked}")
    for pools in (True, False, True):
        assert core.catalogue(pools=pools).targets[0].available is pools
    assert asked.read_text().split() == ["first", "linked"]


def test_a_rebuilt_core_is_asked_again(put: Put) -> None:
    path = put("core", catalogue_of("first"))
    assert core.catalogue(pools=False).version == "first"
    path.unlink()
    put("core", catalogue_of("second"))
    assert core.catalogue(pools=False).version == "second"


def test_a_second_core_that_is_named_is_both(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("core-pmdk", catalogue_of("linked"))
    monkeypatch.setenv("TIERSCOPE_CORE", str(path))
    assert core.find_pool_core() == core.find_core() == path
