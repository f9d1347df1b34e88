"""The labels of a point."""

from tierscope.record.labels import Labels

MODES = {"b-b": "nvm-nvm", "b-a": "nvm-dram", "a-b": "dram-nvm", "a-a": "dram-dram"}
"""The copies of group B, source-destination, and their names in stored runs, from document 000 (DRAM is a, NVM b)."""
SHOWN = {stored: mode for mode, stored in MODES.items()}
_WORDS = {"b-b": "B within b", "b-a": "B from b to a", "a-b": "B from a to b", "a-a": "B within a"}


def words_of(mode: str) -> str:
    """Return a mode for sentences, such as 'B from b to a'."""
    return _WORDS.get(mode, mode)


class SplitLabels(Labels, frozen=True, kw_only=True):
    """The labels of a split of the threads. stand_in: whether b only replaces a second tier."""

    mode: str
    a_threads: int
    b_threads: int
    a_target: str
    b_source: str
    b_target: str
    stand_in: bool = False

    @property
    def way(self) -> str:
        """Return the mode that is shown, such as 'b-a': a second target is not always NVM."""
        return SHOWN.get(self.mode, self.mode)


class SideLabels(Labels, frozen=True, kw_only=True):
    """The labels of one target alone. side: "a" or "b"."""

    threads: int
    side: str
    stand_in: bool = False
