"""A second opinion on a program: what a lever did to it here, by a run of `response`.

The tier's latency over that of this machine's memory is the place on the line of the lever. The lever
with the narrowest bounds is used. A tier with less bandwidth than the lever left the program is not known, and neither
is one whose bounds are wider than WIDE.
If model and lever differ by more than APART, neither is believed.
"""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tierscope.errors import ResultError, UsageError
from tierscope.models.model import Prediction
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.place import Place
from tierscope.record.result import Run, load
from tierscope.run.place import RUNS
from tierscope.suites.response.found import Found, found
from tierscope.suites.response.table import ResponseSteps

SUITE = "response"
APART = 0.10  # of the larger ratio over the smaller one
WIDE = 0.25  # half of the bounds over the ratio
NARROWER = 0.95  # of the bandwidth that a lever left: errors of both


@dataclass(frozen=True, slots=True)
class Opinion:
    """The answer of a lever for a tier; None: not known, for the reason in `unknown`."""

    lever: str
    said: Prediction | None
    unknown: str = ""


def is_response(run: Run) -> bool:
    """Return whether a run is of `response`."""
    return run.result.suite == SUITE


def responses(named: Sequence[Run], command: Sequence[str], digest: str) -> list[Found]:
    """Return what levers did to the program: of the runs that are named, else of the latest one in `runs/`.

    UsageError for a named run of another program or machine; [] where there is none.
    """
    for run in named:
        if not _is_whole(run, digest):
            raise UsageError(f"{run.path} is not a complete run of this machine; measure response here")
        if not _of(run, command):
            victims = ", ".join(repr(one) for one in dict.fromkeys(one.command for one in _found(run)))
            raise UsageError(f"{run.path} has the response of {victims or 'nothing'}, not of {shlex.join(command)!r}")
    if named:
        return [one for run in named for one in _of(run, command)]
    for path in sorted(RUNS.glob(f"*-{SUITE}-*"), reverse=True):
        with suppress(ResultError):
            if _is_whole(run := load(path), digest) and (known := _of(run, command)):
                return known
    return []


def _is_whole(run: Run, digest: str) -> bool:
    result = run.result
    return result.complete and result.origin == "real" and result.machine.identity.digest() == digest


def _found(run: Run) -> list[Found]:
    return found(ResponseSteps().rows(run))


def _of(run: Run, command: Sequence[str]) -> list[Found]:
    return [one for one in _found(run) if same_command(one.command, command)]


def same_command(line: str, command: Sequence[str]) -> bool:
    """Return whether a line for the shell starts this program with these arguments, and does nothing else."""
    try:
        return shlex.split(line) == list(command)
    except ValueError:  # a quote without its end
        return False


def opinion(known: Sequence[Found], place: Place) -> Opinion | None:
    """Return the answer of the levers for a tier; None where the program was not measured with any."""
    if not known:
        return None
    every = [_opinion(one, place) for one in known]
    sure = [one for one in every if one.said]
    return min(sure, key=lambda one: _half(one.said), default=every[0])


def _half(said: Prediction | None) -> float:
    return (said.high - said.low) / 2 / said.value if said else 0.0


def _opinion(one: Found, place: Place) -> Opinion:
    if place.over is None:
        return Opinion(one.lever, None, "a simulated machine does not state the latency of a load; give read=")
    said = one.at(place.over)
    if isinstance(said, str):
        return Opinion(one.lever, None, said)
    if one.left is not None and place.bandwidth_over is not None and place.bandwidth_over < NARROWER * one.left:
        return Opinion(
            one.lever,
            None,
            f"the tier has {place.bandwidth_over:.0%} of the bandwidth here, and the lever left {one.left:.0%}",
        )
    if _half(said) > WIDE:
        return Opinion(one.lever, None, f"its bounds are too wide, {said.low:.2f}x to {said.high:.2f}x")
    return Opinion(one.lever, said)


def judged(answer: Answer, beside: Opinion | None) -> Answer:
    """Return the answer with that of the lever; not known where both differ by more than APART."""
    if beside is None:
        return answer
    said = beside.said
    answer = replace(answer, lever=beside.lever, lever_unknown=beside.unknown)
    if said is None:
        return answer
    answer = replace(answer, lever_ratio=said.value, lever_low=said.low, lever_high=said.high)
    if answer.ratio is None or max(answer.ratio, said.value) <= (1 + APART) * min(answer.ratio, said.value):
        return answer
    why = (
        f"the model gives {answer.ratio:.2f}x ({answer.low:.2f} to {answer.high:.2f}), and the lever {beside.lever} "
        f"{said.value:.2f}x ({said.low:.2f} to {said.high:.2f}), which is more than {APART:.0%} apart"
    )
    return replace(answer, ratio=None, low=None, high=None, seconds=None, unknown=why)
