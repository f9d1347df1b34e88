"""Whether what the blocks left in memory is right: a wrong answer has no bandwidth."""

from tierscope.errors import WrongAnswerError
from tierscope.record.experiment import Experiment

TOLERANCE = 1e-15  # relative: a fused multiply-add rounds once, scalar code twice


def refuse_wrong(error: float, ready: Experiment, *, keyed: bool) -> None:
    """Raise WrongAnswerError for a relative error beyond rounding. keyed: whether groups run a structure."""
    if error <= TOLERANCE:
        return
    kernels = ", ".join(group.workload.kernel for group in ready.groups)
    what = (
        "the content of the structure is not what its operations should have left"
        if keyed
        else f"memory differs from scalar code by {error:g} after the blocks"
    )
    raise WrongAnswerError(
        f"{kernels}: {what}; the result is void. Run `tierscope-core check`; if it fails too, this is a fault of the "
        "build or of the machine"
    )
