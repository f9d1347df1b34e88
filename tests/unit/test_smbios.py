"""Memory devices out of raw tables, whole, short and damaged."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmi import CXL_CARD, DDR5, Module, array, table
from tierscope.host.smbios import PATH, describe, dimms, parse
from tierscope.units import GiB, KiB
from trees import FORBIDDEN, plant

SERVER = [Module(locator=f"P{cpu}-DIMM{letter}1", bank=f"P{cpu}_Node{cpu}_Channel{number}_Dimm0")
          for cpu in range(2) for number, letter in enumerate("ABCDEF")]  # fmt: skip


def test_the_fields_of_a_module() -> None:
    (dimm,) = parse(table([Module(locator="DIMM_A1", bank="NODE 1")]))
    assert dimm == ("DIMM_A1", "NODE 1", "DDR4", 32 * GiB, 3200, 2933, 64, True, True, False)


def test_large_sizes_and_speeds_are_in_the_extended_fields() -> None:
    (dimm,) = parse(table([Module(locator="A", gib=256, rated=70000, configured=66000, kind=DDR5)]))
    assert (dimm.size_bytes, dimm.rated_mt_s, dimm.configured_mt_s) == (256 * GiB, 70000, 66000)


def test_a_structure_of_an_old_firmware_ends_before_the_configured_speed() -> None:
    (dimm,) = parse(table([Module(locator="A", length=0x1B)]))  # SMBIOS 2.3
    assert (dimm.rated_mt_s, dimm.configured_mt_s, dimm.volatile) == (3200, 0, True)


def test_half_a_field_is_not_read() -> None:
    assert parse(table([Module(locator="A", length=0x21)]))[0].configured_mt_s == 0
    assert parse(table([Module(locator="A", length=0x22)]))[0].configured_mt_s == 2933


@pytest.mark.parametrize(("word", "size"), [(0, 0), (0xFFFF, 0), (0x8000 | 512, 512 * KiB), (16384, 16 * GiB)])
def test_the_size_field_counts_mebibytes_or_kibibytes(word: int, size: int) -> None:
    assert parse(table([Module(locator="A", word=word)]))[0].size_bytes == size


def test_firmware_flash_is_not_system_memory_and_a_cxl_card_is_marked() -> None:
    arrays = (array(), array(0x2000, use=5), array(0x3000, location=CXL_CARD))
    modules = [Module(locator="A"), Module(locator="FLASH", array=0x2000), Module(locator="CARD", array=0x3000)]
    assert [(dimm.locator, dimm.cxl) for dimm in parse(table(modules, arrays=arrays))] == [("A", False), ("CARD", True)]


def test_modules_are_described_by_the_speed_they_run_at() -> None:
    modules = [*SERVER, Module(locator="X", gib=0), Module(locator="N", gib=128, technology=7, configured=2666)]
    assert describe(parse(table(modules))) == "1 x 128 GiB DDR4-2666 non-volatile, 12 x 32 GiB DDR4-2933"
    assert describe(()) == ""


def test_content_before_the_damage_counts() -> None:
    whole = table(SERVER)
    counts = [len(parse(whole[:end])) for end in range(len(whole))]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 12)


def test_nothing_is_read_after_the_end_mark() -> None:
    assert len(parse(table(SERVER[:1]) + table(SERVER))) == 1


def test_an_empty_table_is_none_and_a_foreign_file_has_no_modules(tmp_path: Path) -> None:
    assert dimms(plant(tmp_path / "a")) is None
    assert dimms(plant(tmp_path / "b", changes={PATH: FORBIDDEN})) is None
    assert dimms(plant(tmp_path / "c", changes={PATH: b"\x7fELF, no table"})) == ()


@given(st.binary(max_size=400))
def test_no_bytes_make_it_fail(raw: bytes) -> None:
    describe(parse(raw))


@given(st.data())
def test_no_changed_byte_makes_it_fail(data: st.DataObject) -> None:
    raw = bytearray(table(SERVER[:3]))
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    describe(parse(bytes(raw)))
