"""An audit in the terminal: each failure with its reason, then the number of checks of each identity."""

from rich.console import Console
from rich.text import Text

from tierscope.audit import Audit, identities
from tierscope.printable import printable


def show(name: str, found: Audit, console: Console) -> None:
    """Print each failure, then how often each identity was checked. name: what was audited."""
    console.print(Text(printable(name), style="bold"))
    for one in found.failures:
        console.print(Text(printable(f" ! {one.identity}: {one.text}")))
    broken: dict[str, int] = {}
    for one in found.failures:
        broken[one.identity] = broken.get(one.identity, 0) + 1
    for identity, count in found.checked.items():
        if count:
            state = f"{broken[identity]} of {count} fail" if identity in broken else f"{count} pass"
            console.print(Text(f"   {identity:16}{state:>16}  {identities[identity].title}"))
    total, silent = sum(found.checked.values()), [each for each, count in found.checked.items() if not count]
    verdict = f"{len(found.failures)} of {total} checks fail" if found.failures else f"all {total} checks pass"
    console.print(Text(verdict if total else "no identity covers these numbers", style="bold"))
    if silent and total:
        console.print(Text(f"no numbers here for: {', '.join(silent)}", style="dim"))
