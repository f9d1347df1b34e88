"""A file of hosts: one name on each line, then facts of the user's own, as `node1 rack=r7`; `#` begins a comment."""

import re
from pathlib import Path

from tierscope.errors import UsageError, reason

FACT = re.compile(r"([a-z][a-z0-9_]{0,40})=(\S{1,200})")
MOST_HOSTS = 100_000


def read_hosts(path: Path) -> dict[str, dict[str, str]]:
    """Return of each host its facts; UsageError that names the line of any mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise UsageError(f"hosts file {path} cannot be read: {why}; write one name on each line") from error
    found: dict[str, dict[str, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, *words = re.split(r"(?:^|\s)#", line)[0].split() or [""]
        if not name:
            continue
        if name in found:
            raise UsageError(f"{path}, line {number}: {name} is listed twice; remove one")
        facts = [FACT.fullmatch(word) for word in words]
        if bad := [word for word, match in zip(words, facts, strict=True) if match is None]:
            raise UsageError(f"{path}, line {number}: {bad[0]!r} is not a fact; write NAME=VALUE, such as rack=r7")
        found[name] = {match[1]: match[2] for match in facts if match}
    if not found:
        raise UsageError(f"{path} names no host; write one name on each line")
    if len(found) > MOST_HOSTS:
        raise UsageError(f"{path} names {len(found)} hosts; split it: at most {MOST_HOSTS} in one session")
    return found
