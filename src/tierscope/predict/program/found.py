"""The answers for a program: what was measured here, and its time on each tier."""

from dataclasses import dataclass
from typing import Any

from tierscope.predict.objects.placed import Placed
from tierscope.predict.program.anchor import Anchor
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.members import Household
from tierscope.predict.program.native import Native
from tierscope.predict.program.phases import Phase
from tierscope.predict.program.place import Place
from tierscope.predict.program.whole import Followed
from tierscope.record.predicted import PredictedCell


@dataclass(frozen=True, slots=True)
class Found:
    """The speed of a program here, and on each tier."""

    command: tuple[str, ...]
    anchor: Anchor
    tiers: tuple[Answer, ...]
    notes: tuple[str, ...]
    cells: tuple[PredictedCell, ...] = ()
    places: tuple[Place, ...] = ()  # of the tiers
    memory_s: float | None = None  # latency and bandwidth of the memory here
    bandwidth_bytes_per_s: float | None = None
    phases: tuple[Phase, ...] = ()
    placed: tuple[Placed, ...] = ()  # by tier, where it was asked for
    home: Household | None = None  # its processes; None: it starts none
    followed: tuple[Followed, ...] = ()  # of them, the heaviest first: `anchor` is of that one
    ran: Native | None = None  # the whole program here; None: as the anchor

    @property
    def native(self) -> Native:
        """Return what was measured of the whole program here."""
        return self.ran or self.anchor.native

    @property
    def every_note(self) -> tuple[str, ...]:
        """Return the notes of the program and of its tiers, each once."""
        return tuple(dict.fromkeys([*self.notes, *(note for one in self.tiers for note in one.notes)]))

    def document(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        native, own = self.native, self.anchor.cores[0]
        return {
            "command": list(self.command),
            "measured": {
                "wall_s": native.wall_s.middle, "wall_low_s": native.wall_s.low, "wall_high_s": native.wall_s.high,
                "user_s": native.user_s.middle, "user_low_s": native.user_s.low, "user_high_s": native.user_s.high,
                "system_s": native.system_s, "runs": native.runs, "noise_share": native.noise_share,
            },
            "model_s": self.anchor.model_s,
            "model_over_measured": self.anchor.ratio,
            "instructions": own.instructions + own.untraced_instructions,
            "traced_instructions": own.instructions,
            "units": own.units,
            "threads": own.threads,
            "unknown": self.anchor.unknown,
            "followed": [one.row() for one in self.followed],
            "tiers": [one.row() for one in self.tiers],
            "phases": [one.row() for one in self.phases],
            "objects": [one.document() for one in self.placed],
            "notes": list(self.notes),
        }  # fmt: skip
