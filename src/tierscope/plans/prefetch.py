"""The option `prefetch` of suites whose numbers depend on hardware prefetchers."""

from typing import Annotated

from tierscope.plans.kinds import Help, one_of
from tierscope.plans.options import SuiteOptions

ON, OFF = STATES = ("on", "off")


class PrefetchOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of a suite that can switch prefetchers for the time of the run."""

    prefetch: Annotated[
        Annotated[str, one_of("state", STATES)] | None,
        Help(
            "hardware prefetchers of all CPUs during the run, `on` or `off`: see "
            "[prefetchers](../how-to/prefetchers.md); needs root; auto: unchanged"
        ),
    ] = None
