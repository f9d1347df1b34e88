"""The theoretical peak: right where the tables are clear, unknown where they leave a doubt."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmi import CXL_CARD, DDR5, Module, array, table
from tierscope.host.peak import given as told
from tierscope.host.peak import theoretical
from tierscope.host.smbios import PATH
from tierscope.host.system import System
from trees import FORBIDDEN, plant

SIX = [Module(locator=f"P1-DIMM{letter}1", bank=f"P0_Node0_Channel{number}_Dimm0")
       for number, letter in enumerate("ABCDEF")]  # fmt: skip
EIGHT_TWICE = [Module(locator=f"CPU0_DIMM_{letter}{slot}", bank="BANK 0", kind=DDR5, rated=4800, configured=4400)
               for letter in "ABCDEFGH" for slot in (1, 2)]  # fmt: skip
AMD = [Module(locator=f"DIMM {slot}", bank=f"P{cpu} CHANNEL {letter}", rated=3200, configured=3200)
       for cpu in range(2) for letter in "ABCDEFGH" for slot in range(1)]  # fmt: skip
CLIENT = [Module(locator=f"Controller{number}-ChannelA-DIMM0", bank=f"BANK {number}", kind=DDR5, rated=5600,
                 configured=5600, form=13) for number in range(2)]  # fmt: skip
DELL = [Module(locator=f"A{number}", kind=DDR5, rated=4800, configured=4800) for number in range(1, 9)]
HPE = [Module(locator=f"PROC 1 DIMM {number}") for number in range(1, 7)]


def machine(root: Path, modules: list[Module], **changes: object) -> System:
    return plant(root, changes={PATH: table(modules), **changes.get("files", {})})  # type: ignore[dict-item]


@pytest.mark.parametrize(("modules", "bytes_per_s", "source"), [
    (SIX, 6 * 2933e6 * 8, "SMBIOS: 6 x DDR4-2933"),
    (EIGHT_TWICE, 281.6e9, "SMBIOS: 8 x DDR5-4400"),  # two DIMMs on a channel share its bus
    (AMD, 16 * 3200e6 * 8, "SMBIOS: 16 x DDR4-3200"),
    (CLIENT, 89.6e9, "SMBIOS: 2 x DDR5-5600"),
    (SIX[:4], 4 * 2933e6 * 8, "SMBIOS: 4 x DDR4-2933"),
    ([*SIX, replace(SIX[0], bank="P0_Node0_Channel0_Dimm1", gib=0)], 6 * 2933e6 * 8, "SMBIOS: 6 x DDR4-2933"),
    ([*SIX, replace(SIX[0], bank="P0_Node0_Channel0_Dimm1", technology=7, gib=128, configured=2666)],
     6 * 2933e6 * 8, "SMBIOS: 6 x DDR4-2933"),  # persistent memory on the same channel adds no bus
])  # fmt: skip
def test_channels_that_are_named_are_counted(
    tmp_path: Path, modules: list[Module], bytes_per_s: float, source: str
) -> None:
    peak = theoretical(machine(tmp_path, modules), virtual=False)
    assert peak.bytes_per_s == pytest.approx(bytes_per_s)
    assert peak.source == source


@pytest.mark.parametrize(("modules", "reason"), [
    (DELL, "names no channel"),
    (HPE, "names no channel"),
    ([replace(module, configured=0) for module in SIX], "configured speeds are not stated"),
    ([*SIX[:5], replace(SIX[5], configured=2400)], "configured speeds are 2400, 2933"),
    ([replace(module, configured=1467) for module in SIX], "may be the clock"),  # half of DDR4-2933
    ([replace(module, configured=1600, rated=3200) for module in SIX], "may be the clock"),
    ([replace(module, kind=0x07) for module in SIX], "no known kind"),  # "RAM", as QEMU states
    ([replace(module, kind=0x20) for module in SIX], "HBM"),
    ([*SIX[:3], *CLIENT[:1]], "DDR4, DDR5"),
    ([replace(module, bits=32) for module in SIX], "data widths of 32"),
    ([replace(module, bits=0xFFFF - 8) for module in SIX], "data widths"),
    ([*EIGHT_TWICE, *EIGHT_TWICE], "same slot"),  # a second socket that is not named
    ([replace(module, bank=f"BANK {number}") for number, module in enumerate([*EIGHT_TWICE[:2]] * 2)], "same slot"),
    ([replace(SIX[0], bank=f"P0_Node0_Channel0_Dimm{slot}") for slot in range(4)], "same slot"),  # four on one bus
    ([], "lists no memory"),
    ([replace(SIX[0], gib=0)], "lists no memory"),
])  # fmt: skip
def test_a_doubt_makes_the_peak_unknown(tmp_path: Path, modules: list[Module], reason: str) -> None:
    peak = theoretical(machine(tmp_path, modules), virtual=False)
    assert (peak.bytes_per_s, reason in peak.source) == (None, True), peak.source
    assert peak.source.startswith("unknown: ")
    assert "peak=RATE" in peak.source


def edac(channels: int) -> dict[str, object]:
    """Controllers with two channels, one DIMM on each, as the driver of Sapphire Rapids shows them."""
    files: dict[str, object] = {}
    for number in range(channels):
        folder = f"/sys/devices/system/edac/mc/mc{number // 2}/dimm{number % 2}"
        files[f"{folder}/dimm_location"] = f"channel {number % 2} slot 0 "
        files[f"{folder}/dimm_mem_type"] = "Registered-DDR5"
        files[f"{folder}/size"] = "32768"
    return files


def test_the_kernel_counts_channels_where_locators_do_not(tmp_path: Path) -> None:
    peak = theoretical(machine(tmp_path, DELL, files=edac(8)), virtual=False)
    assert peak.bytes_per_s == pytest.approx(307.2e9)
    assert peak.source == "SMBIOS: 8 x DDR5-4800"


def test_locators_against_the_kernel_are_a_doubt(tmp_path: Path) -> None:
    peak = theoretical(machine(tmp_path, SIX, files=edac(8)), virtual=False)
    assert peak.bytes_per_s is None
    assert "locators name 6 channels, the kernel's EDAC tree 8" in peak.source


def test_an_edac_tree_without_channels_is_ignored(tmp_path: Path) -> None:
    files = {**edac(8), "/sys/devices/system/edac/mc/mc0/dimm0/dimm_location": "memory 0 "}
    assert theoretical(machine(tmp_path, SIX, files=files), virtual=False).bytes_per_s == 6 * 2933e6 * 8


def test_memory_on_a_cxl_card_is_not_on_the_bus(tmp_path: Path) -> None:
    card = Module(locator="CXL0", array=0x3000, kind=DDR5, gib=128, configured=4800)
    raw = table([*SIX, card], arrays=(array(), array(0x3000, location=CXL_CARD)))
    assert theoretical(plant(tmp_path, changes={PATH: raw}), virtual=False).source == "SMBIOS: 6 x DDR4-2933"


def test_the_modules_of_a_guest_are_not_believed(tmp_path: Path) -> None:
    peak = theoretical(machine(tmp_path, SIX), virtual=True)
    assert (peak.bytes_per_s, "made up" in peak.source) == (None, True)


def test_absent_and_forbidden_tables_are_distinguished(tmp_path: Path) -> None:
    assert "tables are absent" in theoretical(plant(tmp_path / "a"), virtual=False).source
    closed = theoretical(plant(tmp_path / "b", changes={PATH: FORBIDDEN}), virtual=False).source
    assert "not readable" in closed
    assert "root may read them" in closed


def test_the_users_word_keeps_its_digits() -> None:
    assert told(307.2e9) == (307.2e9, "given: peak=307.2GB/s")


words = st.text(alphabet="ABCDIMNPUHelno012_- ", max_size=16)


@given(
    st.lists(
        st.builds(Module, locator=words, bank=words, configured=st.sampled_from([0, 1600, 2933, 4800])), max_size=8
    )
)
def test_any_locators_give_a_peak_that_the_modules_allow(modules: list[Module]) -> None:
    class Made(System):
        def bytes(self, path: str) -> bytes | None:
            return table(modules) if path == PATH else None

        def glob(self, pattern: str) -> list[str]:
            assert pattern
            return []

    peak = theoretical(Made(), virtual=False)
    assert (peak.bytes_per_s is None) == peak.source.startswith("unknown: ")
    assert peak.bytes_per_s is None or 0 < peak.bytes_per_s <= len(modules) * 4800e6 * 8
