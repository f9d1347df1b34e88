"""No file, however strange, makes a check, the Machine or the printed page fail."""

import io
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from tierscope.doctor.check import EVERY, checks
from tierscope.doctor.text import show
from tierscope.host.peak import theoretical
from tierscope.host.system import System
from tierscope.run.inspect import state

WORDS = st.sampled_from(
    ["", "0", "1", "-1", "on", "Y", "N", "max", "max 100000", "0 0", "0-3", "0-99999999", "1" * 30, "nan", "inf",
     "1e308", "[never]", "[]", "always [madvise", "2048K", "-8K", "0K", "0::/../x", "4:memory:/a", "0::" + "/a" * 99,
     "cpu 1 2", "cpu 1 2 3 4", "cpu 0 0 0 0 0 0 0 0", "cpu 9 9 9 9 9 9 9 9 9 9", "some avg10=",
     "some avg10=101.00 avg60=0", "flags : fpu", "flags : fpu hypervisor",
     "CapEff: zz\nSeccomp: 2\nCpus_allowed_list: 0-3\nMems_allowed_list: 0",
     "MemTotal: 5 kB\nMemAvailable: 1 kB\nSwapTotal: 3 kB\nSwapFree: 9 kB", "Max locked memory 1 1 bytes",
     "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "9 8 0:1 /a /b ro - cgroup cgroup rw,memory,cpu",
     "MB:0=10;1=x\nL3:0=f", "ffff", "res:/a\nmon:", "channel 0 slot 0", "Unbuffered-DDR4"]
)  # fmt: skip
CONTENT = st.one_of(
    st.none(), WORDS.map(str.encode), st.binary(max_size=60), st.integers(-(10**25), 10**25).map(lambda n: b"%d" % n)
)


class Strange(System):
    """Every file contains anything, and every pattern matches some paths; the same file is the same only by chance."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__("/nowhere", wait=lambda _: None)
        self._data = data

    def _bytes(self, path: str, limit: int) -> bytes:
        content = self._data.draw(CONTENT, label=path)
        if content is None:
            raise self._data.draw(
                st.sampled_from([FileNotFoundError(2, "gone"), PermissionError(13, "no"), OSError(5, "I/O")])
            )
        return bytes(content[:limit])

    def glob(self, pattern: str) -> list[str]:
        names = self._data.draw(st.lists(st.sampled_from(["0", "1", "x", "²"]), max_size=2, unique=True), label=pattern)
        return [re.sub(r"\[0-9]\*|\*", name, pattern) for name in names]


@pytest.mark.parametrize("name", list(checks))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_no_file_makes_a_check_fail(name: str, data: st.DataObject) -> None:
    finding = checks[name].examine(Strange(data))
    assert finding.verdict in {"good", "note", "bad", "unknown"}
    assert set(finding.touches) <= set(EVERY)
    assert finding.state
    show((finding,), Console(file=io.StringIO(), width=80))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_no_file_makes_the_state_or_the_peak_fail(data: st.DataObject) -> None:
    system = Strange(data)
    for value in state(system).values():
        assert value is None or isinstance(value, str | int | float)
    assert theoretical(system, virtual=False).source
