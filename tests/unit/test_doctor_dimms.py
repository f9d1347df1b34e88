"""How the slots are filled, in the doctor's words."""

from dataclasses import replace
from pathlib import Path

import pytest

from dmi import Module, table
from tierscope.doctor.check import checks
from tierscope.host.smbios import PATH
from trees import plant

EIGHT = [Module(locator=f"DIMM {slot}", bank=f"P0 CHANNEL {letter}", rated=3200, configured=3200, gib=32 * (slot == 0))
         for letter in "ABCDEFGH" for slot in range(2)]  # fmt: skip


@pytest.mark.parametrize(("modules", "verdict", "state", "effect"), [
    (EIGHT, "good", "8 x 32 GiB DDR4-3200", ""),
    ([module if module.bank[-1] < "G" else replace(module, gib=0) for module in EIGHT], "note", "6 x 32 GiB DDR4-3200",
     "2 of 8 channels are empty: 25 % of the peak is missing"),
    ([replace(module, configured=2400) for module in EIGHT], "note", "8 x 32 GiB DDR4-2400",
     "8 modules run below their rated speed: 25 % of the peak is missing"),
    ([replace(module, locator=f"A{number}", bank="") for number, module in enumerate(EIGHT)], "good",
     "8 x 32 GiB DDR4-3200", ""),  # channels without names: no statement about them
    ([replace(module, gib=0) for module in EIGHT], "unknown", "SMBIOS lists no memory", "the theoretical peak"),
])  # fmt: skip
def test_empty_channels_and_slow_modules_are_reported(
    tmp_path: Path, modules: list[Module], verdict: str, state: str, effect: str
) -> None:
    finding = checks["dimms"].examine(plant(tmp_path, "xeon_server", {PATH: table(modules)}))
    assert (finding.verdict, finding.state) == (verdict, state)
    assert finding.effect.startswith(effect)
    assert finding.effect or verdict == "good"
