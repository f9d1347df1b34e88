"""The address of a machine: `ssh:NAME`, where NAME is what ssh takes: a host, an alias, `user@host`, `//host:port`."""

import re

from tierscope.errors import UsageError

SCHEME = "ssh:"
NAME = re.compile(r"(//)?([A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}@)?[A-Za-z0-9_[][A-Za-z0-9_.:%\[\]-]{0,254}")


def destination(word: str) -> str:
    """Return what ssh is given; UsageError for another word.

    A name that begins with a dash would be an option of ssh, and other characters could be read by a shell of a
    ProxyCommand, so they are refused here.
    """
    name = word.removeprefix(SCHEME)
    if not word.startswith(SCHEME) or not NAME.fullmatch(name):
        raise UsageError(
            f"--host {word!r} is not a host; write ssh:NAME, as in ssh:server, ssh:user@server or ssh://server:2222, "
            "where NAME has letters, digits and . _ - : % alone; an alias in ~/.ssh/config stands for anything else"
        )
    return f"{SCHEME}{name}" if name.startswith("//") else name
