"""One run of a program in the tracer, as here: the same input, and what it prints is kept as a digest."""

from collections.abc import Mapping, Sequence

from tierscope.errors import MachineError
from tierscope.predict.program.native import same_input
from tierscope.predict.program.printed import printed
from tierscope.simulated.begun import asked, completed
from tierscope.simulated.replay import Traced, Watch, replayed
from tierscope.simulated.trace import words_of
from tierscope.simulated.tracer import begin_of_unit, for_many


def replay_words(
    command: Sequence[str], words: Sequence[str], limit_s: float, *, user_s: float, objects: bool = False,
    watch: Watch | None = None, process: str = "", completed_by: Mapping[str, str] = {},
) -> tuple[dict[str, Traced], str]:  # fmt: skip
    """Return word -> what that machine makes of the command, which is traced once; and the digest of what it prints.

    user_s: its CPU time here. It determines how many of its instructions are traced. watch, process: as `replayed`.
    completed_by: word of a machine that times the begin of each unit alone -> of the one that completes it (`begun`).
    Its standard error is dropped. If the tracer fails, the error has the last line of it.
    """
    machines = words_of(asked(words, completed_by, begin_of_unit(user_s)) if completed_by else words)
    said = None
    try:
        with same_input() as given, printed() as output, printed() as said:
            found = replayed(
                machines, command, sampling=for_many(user_s), output=output.descriptor, given=given,
                errors=said.descriptor, limit_s=limit_s, objects=objects, warm_once=True, watch=watch, process=process,
            )  # fmt: skip
    except MachineError as error:
        last = f"; it printed last: {said.last_line}" if said and said.last_line else ""
        raise MachineError(f"{error}{last}") from error
    return completed(dict(zip(words, found, strict=True)), completed_by), output.digest
