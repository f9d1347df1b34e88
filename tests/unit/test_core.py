"""The border: whatever replaces `tierscope-core`, the answer is data or one typed error."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from made import one_group
from tierscope import core
from tierscope.core.plan import work_words
from tierscope.core.session import HEADER_BYTES
from tierscope.errors import CoreError, Exit, MachineError, TierscopeError, UsageError
from tierscope.record.experiment import Target
from tierscope.record.result import BLOCK
from tierscope.record.work.block import BlockWork
from tierscope.record.work.call import CallWork
from tierscope.record.work.handover import HandOverWork
from tierscope.record.work.job import JobWork
from tierscope.record.work.key import KeyedWork
from tierscope.record.work.line import LineWork
from tierscope.record.work.task import TaskWork
from tierscope.units import GiB, MiB

HELLO = (
    '{"fact":"hello","version":"0.1.0","compiler":"made",'
    '"clock":{"source":"tsc","hz":2e9,"resolution_s":1e-9,"read_cost_s":2e-8}}'
)
OPEN = f"""while [ "$1" != --samples ]; do shift; done; : >"$2"; echo '{HELLO}'
"""  # makes the samples file, prints hello


@pytest.fixture
def core_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a shell script in the core's place, and temporary files below tmp_path/tmp."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    def put(script: str) -> None:
        path = tmp_path / "core"
        path.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/pid\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("TIERSCOPE_CORE", str(path))

    return put


def gone(tmp_path: Path) -> bool:
    """The process has ended, and no temporary file is left."""
    number = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{number}").exists():
            return not list((tmp_path / "tmp").iterdir())
        time.sleep(0.05)
    return False


def said(kind: type[TierscopeError], act: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        act()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("place", "why"), [("nowhere", "No such file or directory"), (".", "Permission denied")])
def test_a_core_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, why: str) -> None:
    monkeypatch.setenv("TIERSCOPE_CORE", str(tmp_path / place))
    for act in (core.catalogue, core.topology, core.Session):
        assert f"cannot be started: {why}; build it or correct TIERSCOPE_CORE" in said(MachineError, act)


def test_a_missing_core_is_reported_with_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIERSCOPE_CORE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tierscope.core.find._installed", list)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    message = said(MachineError, core.find_core)
    assert message == "tierscope-core is not installed; run ./tierscope once, or name it in TIERSCOPE_CORE"
    (tmp_path / "tierscope-core").write_text("")
    assert core.find_core() == tmp_path / "tierscope-core"


@pytest.mark.parametrize(
    "script", ["true", "echo", "echo words", "echo '[]'", "echo '{}'", "echo '{\"version\":1}'", "printf '\\377'"]
)
def test_an_answer_of_another_kind_is_a_core_of_another_version(
    core_of: Callable[[str], None], tmp_path: Path, script: str
) -> None:
    core_of(script)
    assert "install both from one version" in said(CoreError, core.catalogue)
    with pytest.raises(CoreError):
        core.Session()
    assert gone(tmp_path)


def test_a_topology_that_is_not_a_table(core_of: Callable[[str], None]) -> None:
    core_of("echo 7")
    assert "install both from one version" in said(CoreError, core.topology)


@pytest.mark.parametrize(
    ("script", "kind", "why"),
    [
        ("echo oh no >&2; exit 7", CoreError, "ended with status 7: oh no; report this"),
        ("exit 3", CoreError, "ended with status 3: no message; report this"),
        ("kill -SEGV $$", CoreError, "ended with signal Segmentation fault"),
        ("kill -9 $$", MachineError, "killed from outside, usually because memory ran out"),
        ('echo \'{"fact":"error","kind":"BadPlan","message":"no such word"}\'; exit 2', UsageError, "no such word"),
        ('echo \'{"fact":"error","kind":"Unsupported","message":"no AVX"}\'; exit 3', MachineError, "no AVX"),
        ('echo \'{"fact":"error"}\'; exit 3', CoreError, ""),
    ],
)
def test_a_core_that_ends_badly(
    core_of: Callable[[str], None], tmp_path: Path, script: str, kind: type[TierscopeError], why: str
) -> None:
    core_of(script)
    assert why in said(kind, core.catalogue)
    core_of(f"{OPEN}read line; {script}")
    with core.Session() as session:
        assert why.partition("ended")[0] in said(kind, session.check)
    assert gone(tmp_path)


def test_a_session_leaves_nothing_behind(core_of: Callable[[str], None], tmp_path: Path) -> None:
    core_of(f"{OPEN}exec sleep 100")
    with core.Session() as session:
        assert session.clock.hz == 2e9
        assert list((tmp_path / "tmp").iterdir()) == []
    assert gone(tmp_path)
    session.close()


def test_an_interruption_while_the_core_starts_leaves_nothing_behind(
    core_of: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core_of("exec sleep 100")

    def interrupt(*_: object) -> None:
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(core.Session, "_answer", interrupt)
    with pytest.raises(KeyboardInterrupt):
        core.Session()
    assert gone(tmp_path)


def test_blocks_are_read_from_where_the_core_wrote_them(core_of: Callable[[str], None]) -> None:
    """Two blocks behind the header; the second is asked for, then one that is not there."""
    size = HEADER_BYTES + 2 * BLOCK.itemsize
    fill = f'head -c {size} /dev/zero | tr "\\0" "\\1" >"$2"; echo'
    first, second = (f'read line; echo \'{{"fact":"measured","first":{n},"rows":1}}\'' for n in (1, 2))
    core_of(OPEN.replace(': >"$2"; echo', fill) + f"{first}; {second}; cat >/dev/null")
    with core.Session() as session:
        blocks = session.measure(0.1, 1e-3)
        assert blocks.shape == (1,)
        assert blocks["group"][0] == 0x0101
        assert "announced 40 bytes of blocks, wrote 0" in said(CoreError, lambda: session.measure(0.1, 1e-3))


def test_a_group_becomes_the_words_that_a_person_would_type() -> None:
    words = core.group_words(one_group("triad", (0, 2), GiB, work=LineWork(streams=4, prefetch_bytes=512)))
    assert " ".join(f"{key}={word}" for key, word in words.items()).startswith(
        "kernel=triad target=node:0 pages=thp cpus=0,2 footprint=1GiB streams=4 unroll=1 prefetch=512B"
    )


def test_words_that_a_group_does_not_use_are_left_out() -> None:
    assert not core.group_words(one_group("chase", (0,), GiB)).keys() & {"access", "fence", "order", "source"}
    once = BlockWork(element_bytes=4096, access_bytes=256, order="once", fence="region")
    words = core.group_words(one_group("read_blocks", (0,), GiB, work=once))
    assert [words[key] for key in ("access", "order", "fence")] == ["256B", "once", "region"]


def test_a_path_with_a_space_is_refused_in_a_plan() -> None:
    group = one_group("read", (0,), MiB)
    group = type(group)(workload=group.workload, team=group.team, target=Target.parse("file:/mnt/my disk"))
    assert "contains a space" in said(UsageError, lambda: core.group_words(group))


def test_every_error_of_the_border_has_its_status() -> None:
    statuses = {kind: kind.status for kind in (UsageError, MachineError, CoreError)}
    assert statuses == {UsageError: Exit.USAGE, MachineError: Exit.CANNOT, CoreError: Exit.INTERNAL}


def test_a_work_is_written_from_its_fields() -> None:
    """The words that plans had when each task wrote its own."""
    block = BlockWork(element_bytes=4096, access_bytes=64, locality_bytes=1 << 20, fence="line", order="once")
    assert work_words(block) == {
        "element": "4KiB", "access": "64B", "locality": "1MiB", "fence": "line", "order": "once"
    }  # fmt: skip
    task = TaskWork(size="test", command="./solve 'a b' >x%", limit_s=1.5)
    assert work_words(task) == {"size": "test", "command": "./solve%20%27a%20b%27%20%3Ex%25", "limit": "1.500000000s"}
    keyed = KeyedWork(operation="get:8+insert:1", keys="zipf:0.99", sharing="one", count=500, value_bytes=64)
    assert work_words(keyed) == {
        "operation": "get:8+insert:1", "keys": "zipf:0.99", "sharing": "one", "count": "500", "value": "64B"
    }  # fmt: skip
    assert work_words(CallWork()) == work_words(HandOverWork()) == work_words(KeyedWork()) == {}
    assert work_words(JobWork(block_bytes=4096, order="random", arguments="--rw=read")) == {}


def test_every_line_of_a_plan_states_the_usual_keys() -> None:
    words = core.group_words(one_group("noop", (0,), GiB, work=CallWork()))
    usual = {"streams": "1", "unroll": "1", "prefetch": "0B", "prefetchw": "0B", "interleave": "0B", "element": "64B"}
    assert {key: words[key] for key in (*usual, "locality")} == usual | {"locality": "0B"}
