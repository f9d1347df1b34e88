"""This machine under any names, for tests and for a first look: the payload runs here, in a process of its own."""

import os
from collections.abc import Sequence

from tierscope.fleet.engines import Done, Job, Turn, deadline, engines, in_threads
from tierscope.fleet.payload.process import output_of

HERE = "here"
ALIKE = {"TIERSCOPE_FLEET_SHARED": "1"}  # several names of one machine measure at the same time


class Local:
    """This machine."""

    name = "local"
    summary = "this machine, under any names; for tests and for a first look"

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        return tuple(named) or (HERE,)

    def address(self, host: str) -> str:
        return HERE

    def measure(self, job: Job, hosts: Sequence[str], done: Done) -> None:
        place = job.payload.place(job.folder.parent / "payload")

        def one(_host: str, turn: Turn) -> bytes:
            turn.ready()
            command = ["sh", str(place / "host.sh"), str(place), f"{job.limit_s:.0f}"]
            return output_of(command, deadline(job), {**os.environ, **ALIKE})

        in_threads(job, hosts, one, done)


engines.add(Local())
