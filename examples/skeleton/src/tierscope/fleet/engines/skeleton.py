"""The smallest engine: this machine, as the one host that it knows.

Copy this file to src/tierscope/fleet/engines/NAME.py. An engine only starts the payload on hosts, and brings back what
it printed: the session decides what that is worth. A host that fails must not affect the others.
"""

from collections.abc import Sequence

from tierscope.fleet.engines import Done, Job, Turn, deadline, engines, in_threads
from tierscope.fleet.payload.process import output_of

HERE = "skeleton-host"


class Skeleton:
    """One host."""

    name = "skeleton"
    summary = "the smallest engine: this machine, as one host"  # one line

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        # Refuse a name that cannot be right here, before anything starts.
        return tuple(named) or (HERE,)

    def address(self, host: str) -> str:
        return "here"  # for `tierscope run --host`: ssh:NAME where a shell can reach it

    def measure(self, job: Job, hosts: Sequence[str], done: Done) -> None:
        place = job.payload.place(job.folder.parent / "payload")

        def one(_host: str, turn: Turn) -> bytes:
            turn.ready()  # hosts that begin together wait for each other here
            return output_of(["sh", str(place / "host.sh"), str(place), f"{job.limit_s:.0f}"], deadline(job))

        in_threads(job, hosts, one, done)  # what `one` raises is passed to `done`, as the reason of its host


engines.add(Skeleton())
