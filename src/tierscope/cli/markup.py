"""The light Markdown of help texts, as plain text for a terminal and as roff for the manual page.

Help texts may contain code in backticks, **bold** words, and links relative to docs/reference/.
"""

import re

GUIDE = re.compile(r"See \[[^\]]+\]\(\.\./([^)#\s]+)[^)\s]*\)")
ASIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)[^)\s]*\)")
LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
MARKED = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")


def plain(text: str) -> str:
    """Return the text without backticks, stars and targets of links; of a guide with the name of its file."""
    return MARKED.sub(lambda match: match[1] or match[2], _unlinked(text))


def roff(text: str) -> str:
    """Return the text as one line of roff: code and bold words in bold, every other letter as itself."""
    pieces, end = [], 0
    text = _unlinked(text)
    for match in MARKED.finditer(text):
        pieces += [escaped(text[end : match.start()]), rf"\fB{escaped(match[1] or match[2])}\fR"]
        end = match.end()
    line = "".join([*pieces, escaped(text[end:])])
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _unlinked(text: str) -> str:
    guided = ASIDE.sub(r"\1 (`docs/\2`)", GUIDE.sub(r"See `docs/\1`", text))
    return LINK.sub(r"\1", guided)


def escaped(text: str) -> str:
    """Return letters that roff would read as its own, escaped."""
    return text.replace("\\", r"\(rs").replace("-", r"\-").replace("'", r"\(aq")
