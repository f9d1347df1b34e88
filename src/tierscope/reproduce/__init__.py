"""Documents recomputed: every figure that one of the five source documents derives, with its expected value.

One file is one document, and adds itself in its last line. The tables it starts from are in `reference`.
"""

from tierscope.registry import Registry
from tierscope.reproduce.claim import Claim, Document, Figure

reproduce: Registry[Document] = Registry("document", "tierscope.reproduce")

__all__ = ["Claim", "Document", "Figure", "reproduce"]
