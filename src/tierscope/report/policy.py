"""The Content-Security-Policy of a page: nothing is loaded, and only scripts and styles it was made with run.

Each is named by its SHA-256, so what gets into the page by another way does not run, although the page is one file.
Blind to attributes: `style=` is allowed where a page requests it, event handlers (`onclick=`) never are.
Source: W3C, Content Security Policy Level 3, section 8.4 (hashes of inline elements).
"""

import base64
import hashlib
from collections.abc import Sequence


def policy(styles: Sequence[str], scripts: Sequence[str] = (), *, style_attributes: bool = False) -> str:
    """Return the content of the `meta` element. Texts are those between the tags, to the letter.

    style_attributes: whether elements may have `style=`.
    """
    rules = ["default-src 'none'", f"style-src-elem {_hashes(styles)}"]
    if style_attributes:
        rules.append("style-src-attr 'unsafe-inline'")
    if scripts:
        rules += [f"script-src {_hashes(scripts)}", "img-src data: blob:"]
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def hash_of(text: str) -> str:
    """Return 'sha256-...' with its quotes, as a policy names an inline element."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _hashes(texts: Sequence[str]) -> str:
    return " ".join(hash_of(text) for text in texts)
