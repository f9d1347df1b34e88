"""The live line of a run."""

from tierscope.plans.live import Live, lives, threads_of
from tierscope.record.experiment import Experiment
from tierscope.suites.stream.labels import StreamLabels


def say(experiment: Experiment) -> str:
    """Return 'memcpy_large, 2 threads': the name of the point, which large calls do not share with their kernel."""
    kernel = StreamLabels.read(experiment).kernel or experiment.groups[-1].workload.kernel
    return f"{kernel}, {threads_of(experiment)}"


lives.add(Live("stream", say))
