"""Block storage: drives fio as a program of its own and reads its JSON into the records that all other runs have."""

from tierscope.fio.session import Session

__all__ = ["Session"]
