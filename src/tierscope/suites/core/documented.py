"""Width and buffers of cores as their vendors document them, next to the measured ones.

The numbers are those of a whole core. Where a core has two hardware threads and both work, each has half of the
reorder buffer and of the store buffer, and a share of the front end. A guest with one thread of each core sees
just this, whenever another guest uses the other thread. So a number clearly below the documented one is a lower bound.

Sources: Intel, "64 and IA-32 Architectures Optimization Reference Manual", 248966-050, 2024, chapters 2 and 4; AMD,
"Software Optimization Guide" for the families 17h (55723, 56305), 19h (56665, 57647) and 1Ah (58455).
"""

import math
import re
from dataclasses import dataclass

WIDTH = "width"
HALF = (0.42, 0.56)  # of the documented entries: some contain the loop itself
WHOLE = 0.1  # relative: as documented


@dataclass(frozen=True, slots=True)
class Documented:
    """Numbers of a whole core. models: of a family, as `vendor:family:model` states them."""

    family: str
    models: frozenset[int]
    width: int | None  # instructions that it dispatches in a cycle; None: only parts of instructions are documented
    reorder: int
    stores: int
    loads: int | None = None  # None: only loads that wait are documented

    def number(self, parameter: str) -> int | None:
        """Return the number of a parameter; None where none is documented."""
        return {WIDTH: self.width, "reorder buffer": self.reorder, "store buffer": self.stores,
                "load buffer": self.loads}.get(parameter)  # fmt: skip


INTEL, ZEN_1_2, ZEN_3_4, ZEN_5 = "GenuineIntel:6", "AuthenticAMD:23", "AuthenticAMD:25", "AuthenticAMD:26"
CORES = (
    Documented(
        INTEL, frozenset({60, 61, 63, 69, 70, 71, 79, 86}), width=4, reorder=192, stores=42, loads=72
    ),  # Haswell
    Documented(
        INTEL, frozenset({78, 85, 94, 142, 158, 165, 166}), width=4, reorder=224, stores=56, loads=72
    ),  # Skylake
    Documented(
        INTEL, frozenset({106, 108, 125, 126, 140, 141, 167}), width=5, reorder=352, stores=72, loads=128
    ),  # Sunny Cove
    Documented(INTEL, frozenset({143, 207}), width=6, reorder=512, stores=112, loads=192),  # Golden Cove, in servers
    Documented(ZEN_1_2, frozenset({1, 8, 17, 24, 32}), width=None, reorder=192, stores=44),
    Documented(ZEN_1_2, frozenset({49, 71, 96, 104, 113, 144, 160}), width=None, reorder=224, stores=48),
    Documented(ZEN_3_4, frozenset({*range(16), *range(32, 96)}), width=6, reorder=256, stores=64),
    Documented(
        ZEN_3_4, frozenset({*range(16, 32), *range(96, 128), *range(160, 176)}), width=6, reorder=320, stores=64
    ),
    Documented(ZEN_5, frozenset({*range(48), *range(64, 80), *range(96, 128)}), width=8, reorder=448, stores=104),
)


def documented(family: str) -> Documented | None:
    """Return what is documented of 'vendor:family:model:stepping'; None of a processor that is not known here."""
    match = re.fullmatch(r"(\w+:\d+):(\d+)(?::\d+)?", family)
    if not match:
        return None
    return next((one for one in CORES if one.family == match[1] and int(match[2]) in one.models), None)


def beside(measured: float, documented: int, parameter: str) -> str:
    """Return how a measured number relates to the documented one, as the end of a sentence."""
    share = measured / documented
    if math.isclose(share, 1, rel_tol=WHOLE):
        return f"a core has {documented}, as documented"
    if parameter == WIDTH and share < 1:
        return f"{documented} are documented for a core, and its other hardware thread may use the rest"
    if HALF[0] <= share <= HALF[1]:
        return f"a core has {documented}, as documented, and half of them while its other hardware thread works"
    return f"{documented} are documented for a core"
