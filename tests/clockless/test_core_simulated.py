"""`run core` on simulated cores with hidden parameters: it finds them, or states why not, and is never wrong and sure.

Every answer that is `known` must have the truth in its interval, and one that is `at least` must not be above it. How
many are known is counted apart, so that a suite that abstains from all does not pass.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from tiers import first
from tierscope.cli.main import main
from tierscope.record.result import load
from tierscope.simulated.fetched import fetched
from tierscope.suites.core.row import CoreRow
from tierscope.tables import tables

BUFFERS = (("store buffer", ""), ("lines in flight", "L2"), ("lines in flight", "memory"))
OTHERS = 3  # instructions of a window of vectors that write none: a load and the end of the loop
CHECKED = 2  # cycles from the number that a branch goes by until the branch is known


@dataclass(frozen=True)
class Hidden:
    """The parameters of one simulated core. prefetch: of the second level."""

    cycle_ps: int
    width: int
    reorder: int
    store_buffer: int
    wrong_guess: int
    loads: int
    prefetch: str
    depth: int
    latency_ns: int
    line: int = 64
    fill: str = "shared"  # line fill buffers of loads and stores
    registers: tuple[int, int] = (0, 0)  # integer, vector; 0: as many as the reorder buffer needs
    places: int = 0  # for loads; 0: any number
    spread: float = 0.0  # of the latency of the memory

    @classmethod
    def drawn(cls, seed: int) -> "Hidden":
        draw = Random(seed)
        return cls(
            cycle_ps=draw.choice((240, 300, 360, 420)),
            width=draw.choice((2, 3, 4, 5, 6, 8)),
            reorder=draw.randrange(64, 400),
            store_buffer=draw.randrange(16, 90),
            wrong_guess=draw.randrange(8, 26),
            loads=draw.randrange(4, 33),
            prefetch=draw.choice(("none", "next-line", "stride")),
            depth=draw.randrange(1, 12),
            latency_ns=draw.randrange(90, 220),
            fill=draw.choice(("shared", "apart")),
            registers=(draw.choice((0, draw.randrange(48, 200))), draw.choice((0, draw.randrange(48, 200)))),
            places=draw.choice((0, draw.randrange(40, 140))),
        )

    def text(self) -> str:
        return (
            'name = "hidden"\nsummary = ""\nsource = ""\ndefault = "m"\n'
            f'[cpu]\ncount = 2\nline = "{self.line}B"\n'
            f'cycle = "{self.cycle_ps / 1000}ns"\nissue = "0.1ns"\nloads = {self.loads}\nstores = 16\n'
            f"[core]\nwidth = {self.width}\nreorder = {self.reorder}\nstore_buffer = {self.store_buffer}\n"
            f"load_buffer = {self.places}\ninteger_registers = {self.registers[0]}\n"
            f"vector_registers = {self.registers[1]}\n"
            f'wrong_guess = {self.wrong_guess}\nfill_buffers = "{self.fill}"\n[pages]\nbytes = "2MiB"\n'
            '[[cache]]\nname = "L1d"\nsize = "32KiB"\nways = 8\npolicy = "lru"\nlatency = "1.5ns"\nshared = 1\n'
            '[[cache]]\nname = "L2"\nsize = "512KiB"\nways = 8\npolicy = "lru"\nlatency = "6ns"\nshared = 1\n'
            f'prefetch = "{self.prefetch}"\ndepth = {self.depth}\n'
            f'[memory.m]\nkind = "flat"\nsize = "64GiB"\nread = "{self.latency_ns}ns"\nwrite = "{self.latency_ns}ns"\n'
            f"spread = {self.spread}\n"
        )

    def _window(self, registers: int, others: int) -> int:
        return min(registers + others, self.reorder) if registers else self.reorder

    def truth(self) -> dict[tuple[str, str], float | None]:
        """The number of each parameter; None: there is no such thing. Parameters that are left out are not judged."""
        stride, line = self.prefetch == "stride", self.prefetch == "next-line"
        return {
            ("width", ""): self.width,
            ("reorder buffer", ""): self.reorder,
            ("store buffer", ""): self.store_buffer,
            ("load buffer", ""): self.places or self.reorder,
            ("window", "result"): self._window(self.registers[0], 0),
            ("window", "vector"): self._window(self.registers[1], OTHERS),
            ("branch miss", ""): self.wrong_guess + CHECKED,
            ("lines in flight", "L2"): self.loads,
            ("lines in flight", "memory"): self.loads,
            ("next line", "up"): 1 if line else None,
            ("next line", "down"): None,
            ("next line", "pair"): None,
            ("pattern", ""): None,
            ("visits that train", "up"): 3 if stride else None,
            ("visits that train", "down"): 3 if stride else None,
            ("lines ahead", "up"): 2 * self.depth if stride else None,
            ("lines ahead", "down"): 2 * self.depth if stride else None,
            ("streams", ""): 16 if stride else None,
        }


def rows_of(hidden: Hidden, folder: Path, *words: str) -> dict[tuple[str, str], CoreRow]:
    (folder / "hidden.toml").write_text(hidden.text())
    out = folder / "run"
    status = main(["run", "core", f"target=sim:{folder}/hidden.toml", *words, "--out", str(out), "--quiet"])
    assert status in (0, 4)
    return {(row.parameter, row.level): row for row in tables["core_parameters"].rows(load(out))}


def judged(rows: dict[tuple[str, str], CoreRow], hidden: Hidden) -> tuple[int, int, list[str]]:
    """Return how many answers are right and sure, how many are not sure, and those that are sure and wrong."""
    right, open_, wrong = 0, 0, []
    for name, truth in hidden.truth().items():
        row = rows.get(name)
        if row is None or row.answer == "not known":
            open_ += row is not None
        elif row.answer == "at least":
            open_ += 1
            if truth is None or (row.value and row.value.low > truth):
                wrong.append(f"{name}: at least {row.value}, is {truth}")
        elif row.answer == "none":
            right += truth is None
            wrong += [] if truth is None else [f"{name}: none, is {truth}"]
        elif row.value and truth is not None and row.value.low <= truth <= row.value.high:
            right += 1
        else:
            wrong.append(f"{name}: {row.value}, is {truth}")
    return right, open_, wrong


@pytest.mark.parametrize("seed", first(1, list(range(1, 31))))
def test_a_hidden_core_is_found_and_no_sure_answer_is_wrong(seed: int, tmp_path: Path) -> None:
    hidden = Hidden.drawn(seed)
    words = ("to=256", "probes=width,store,guess,fetch") if seed == 1 else ("to=512",)
    right, open_, wrong = judged(rows_of(hidden, tmp_path, *words), hidden)
    assert wrong == [], hidden
    assert right >= open_, hidden


@pytest.mark.parametrize("line", first(1, [128, 64, 256]))
def test_a_core_is_found_whatever_its_lines(line: int, tmp_path: Path) -> None:
    """Two visits of a line would make its caches seem larger, and the second line of a window fetched.

    With a depth of 3, three visits are enough and six are not: the last line is still on its way.
    """
    hidden = replace(Hidden.drawn(1), prefetch="stride", depth=3, latency_ns=100, line=line)
    rows = rows_of(hidden, tmp_path, "probes=fetch")
    _, _, wrong = judged(rows, hidden)
    assert wrong == [], hidden
    known = {name for name, row in rows.items() if row.answer == "known"}
    assert known >= {("lines ahead", "up"), ("lines ahead", "down"), ("streams", "")}, rows


@pytest.mark.slow
@pytest.mark.parametrize("line", [128, 256])
def test_lines_in_flight_are_those_of_the_machine(line: int, tmp_path: Path) -> None:
    hidden = replace(Hidden.drawn(1), line=line)
    rows = rows_of(hidden, tmp_path, "probes=flight,width", "to=256")
    _, _, wrong = judged(rows, hidden)
    assert wrong == [], hidden
    assert rows["lines in flight", "L2"].answer in ("known", "at least")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_stores_that_share_the_fill_buffers_change_no_answer(seed: int, tmp_path: Path) -> None:
    """Loops for lines in flight only load, and stores between two loads are to lines of the nearest cache."""
    drawn, found = Hidden.drawn(seed), []
    for fill in ("shared", "apart"):
        (folder := tmp_path / fill).mkdir()
        rows = rows_of(replace(drawn, fill=fill), folder, "probes=flight,store,width", "to=256")
        _, _, wrong = judged(rows, drawn)
        assert wrong == [], drawn
        found.append({name: (rows[name].answer, rows[name].value) for name in BUFFERS})
    assert found[0] == found[1]
    assert all(answer in ("known", "at least") for answer, _ in found[0].values())


@pytest.mark.parametrize(("spread", "registers"), first(1, [(0.3, 90), (0.0, 90), (0.15, 0), (0.5, 0)]))
def test_the_spread_of_the_latency_is_found(spread: float, registers: int, tmp_path: Path) -> None:
    drawn = replace(
        Hidden.drawn(2), width=4, reorder=200, registers=(registers, 0), places=0, loads=16, prefetch="none"
    )
    hidden = replace(drawn, spread=spread, latency_ns=140)
    row = rows_of(hidden, tmp_path, "probes=width,window,spread", "to=256")["latency spread", "memory"]
    assert row.answer == "known", row
    assert row.value
    assert row.value.low - 0.03 <= spread <= row.value.high + 0.03


@dataclass(frozen=True)
class Front:
    """How instructions come to a simulated core. ahead: lines; between: cycles; targets: of jumps; redirect: cycles."""

    ahead: int
    between: int
    targets: int
    redirect: int

    @classmethod
    def drawn(cls, seed: int) -> "Front":
        draw = Random(f"{seed}, code")
        return cls(draw.choice([0, 2, 4, 8, 64]), draw.choice([0, 0, 3, 6]),
                   draw.choice([2048, 4096, 8192, 4 * draw.randrange(300, 3000)]), draw.randrange(7, 16))  # fmt: skip

    def text(self) -> str:
        return (
            f'[core.fetch]\nsize = "32KiB"\nahead = {self.ahead}\nbetween = {self.between}\n'
            f"targets = {self.targets}\nredirect = {self.redirect}\n"
        )

    def lines(self, latency_s: float, cycle_s: float, width: int) -> float:
        """Return the lines in flight from a cache."""
        line_s = max(8 / width, self.between, 1) * cycle_s
        return min(max(self.ahead, 1), latency_s / line_s)


L3 = '[[cache]]\nname = "L3"\nsize = "16MiB"\nways = 16\npolicy = "lru"\nlatency = "18ns"\nshared = 2\n'


@pytest.mark.parametrize("seed", first(1, list(range(2, 14))))
def test_how_a_hidden_core_fetches_code_is_found_and_no_sure_answer_is_wrong(seed: int, tmp_path: Path) -> None:
    front, hidden = Front.drawn(seed), replace(Hidden.drawn(seed), latency_ns=100)
    (tmp_path / "hidden.toml").write_text(hidden.text() + L3 + front.text())
    out = tmp_path / "run"
    main(["run", "core", f"target=sim:{tmp_path}/hidden.toml", "probes=code", "--out", str(out), "--quiet"])
    rows = {(row.parameter, row.level): row for row in tables["core_parameters"].rows(load(out))}
    cycle_s = hidden.cycle_ps * 1e-12
    for level, latency_s in (("L2", 6e-9), ("L3", 18e-9)):
        lines = rows["lines of code in flight", level]
        if lines.answer == "not known":
            continue
        assert lines.value
        assert lines.value.low <= front.lines(latency_s, cycle_s, hidden.width), (front, lines)
        if lines.answer == "known" and front.ahead:  # on demand, a line waits for the one before to be dispatched, too
            least = front.lines(latency_s - 1.5e-9, cycle_s, hidden.width)
            assert least <= lines.value.high, (front, lines)
    jumps, cost = rows["jump targets", ""], rows.get(("unknown target", ""))
    assert jumps.value, (front, jumps)
    assert jumps.value.low <= front.targets
    if jumps.answer == "known":
        assert front.targets <= jumps.value.high
        assert cost
        assert cost.value
        assert cost.value.low <= front.redirect <= cost.value.high, (front, cost)
    found = fetched(list(rows.values()))
    early, late = (
        {k: int(v) for k, v in re.findall(r"fetch\.(\w+)=(\d+)", words)} for words in (found.early, found.late)
    )
    assert int(late["ahead"]) <= front.ahead
    assert front.ahead <= int(early["ahead"]) or front.ahead > 18e-9 / cycle_s * hidden.width / 8, (front, found)
    assert int(late["redirect"]) >= front.redirect >= int(early["redirect"])


TRANSLATED = (
    '[[tlb]]\nname = "DTLB"\nentries = 64\n[[tlb]]\nname = "STLB"\nentries = 1536\nlatency = "2ns"\n'
    '[walk]\nbase = "15ns"\nparallel = {walkers}\n'
)


@pytest.mark.parametrize("walkers", [1, 2, 4])
def test_the_page_walks_of_a_simulated_core_are_found(tmp_path: Path, walkers: int) -> None:
    hidden = replace(Hidden.drawn(4), loads=16)
    text = hidden.text().replace('bytes = "2MiB"', 'bytes = "4KiB"').replace('size = "512KiB"', 'size = "2MiB"')
    text = text.replace("[memory.m]", TRANSLATED.format(walkers=walkers) + "[memory.m]")
    (tmp_path / "hidden.toml").write_text(text)
    out = tmp_path / "run"
    main(["run", "core", f"target=sim:{tmp_path}/hidden.toml", "probes=translation", "--out", str(out), "--quiet"])
    (row,) = (row for row in tables["core_parameters"].rows(load(out)) if row.parameter == "page walks")
    assert (row.answer, row.whole) == ("known", walkers)
