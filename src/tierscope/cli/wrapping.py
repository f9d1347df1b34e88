"""Lines for a terminal: a sentence is wrapped between its words, what a person copies stays whole."""

import re
import textwrap

from tierscope.called import NAME, called

GOES_ON = " \\"  # at the end of a line that a shell joins with the next one
WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"])+"""
WIDEST = 100  # letters of a sentence on a wide terminal, as of tables (`draw.forms`): longer lines are hard to follow
GLUE = "\0"  # in place of a space that may not end a line; no printable text contains it
QUOTED = r"""`[^`]+`|(?<!\w)'[^']+'(?!\w)|(?<!\w)"[^"]+"(?!\w)"""
ARGUMENT = r"""(?:'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'",;:.()`]|[,;:.](?=[^\s)]))+"""


def wrapped(text: str, width: int) -> str:
    """Return one printable line as lines of at most `width` letters, the further ones indented by two more.

    A command stays whole, also one that is longer than a line, which then begins a line. It is between backticks, or it
    begins with `sudo`, `echo` or our name and ends at a mark of punctuation. Quoted words stay whole too, and so does a
    path. Only the space at which a line ends is lost.
    """
    indent = " " * (len(text) - len(text.lstrip()))
    whole = _whole().sub(lambda match: match[0].replace(" ", GLUE), text.lstrip())
    return textwrap.fill(
        whole, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False,
        break_on_hyphens=False,
    ).replace(GLUE, " ")  # fmt: skip


def continued(command: str, width: int) -> str:
    """Return a command as lines of at most `width` letters, which a shell reads as one.

    Lines end between arguments; a value is on the line of its option. A longer argument stays whole.
    """
    lines = [""]
    for part in re.findall(rf"(?:--?[a-z][\w-]*|--|>)(?: (?!-){WORD})|{WORD}", command):
        longer = f"{lines[-1]} {part}" if lines[-1] else part
        if lines[-1] and len(longer) > width - (0 if command.endswith(part) else len(GOES_ON)):
            lines.append(f"  {part}")
        else:
            lines[-1] = longer
    return f"{GOES_ON}\n".join(lines)


def _whole() -> re.Pattern[str]:
    """Return what finds the parts that may not be broken."""
    names = "|".join(map(re.escape, dict.fromkeys((called(), f"./{NAME}", NAME, "sudo", "echo"))))
    return re.compile(rf"(?<![\w./'-])(?:{names})(?: {ARGUMENT})+|{QUOTED}")
