"""Other CPUs load the memory at a set pace, as for latency under load."""

from tierscope.errors import UsageError
from tierscope.plans.kernels import arrays, walk_of
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes
from tierscope.record.experiment import Group, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.line import LineWork
from tierscope.suites.response.lever import Place, Slower, levers
from tierscope.suites.response.options import ResponseOptions
from tierscope.units import MiB


class Load:
    """Non-temporal stores leave the caches of the victim alone. Fewer cycles of delay are more load."""

    name = "load"
    summary = "other CPUs load the memory"
    cycles = False

    def why_not(self, machine: Machine, chosen: ResponseOptions, place: Place) -> str:
        """Return that no CPU is left, where none is."""
        del machine, chosen
        own = ",".join(map(str, place.victims))
        return (
            "" if place.loads else f"no CPU but the victim's ({own}) may be used; allow another, or name fewer for it"
        )

    def steps(self, machine: Machine, chosen: ResponseOptions, place: Place) -> tuple[Slower, ...]:
        """Return one step for each delay; UsageError for a kernel that does not load memory."""
        walk_of(machine, chosen.load)
        if not chosen.delays:
            raise UsageError("delays= names none; try delays=2000,500,0")
        delays = sorted(set(chosen.delays), reverse=True)
        number = arrays(machine, chosen.load)
        target = chosen.target.on(chosen.pages)
        most = int(free_bytes(machine, target) * MEMORY_SHARE / (len(delays) + 2) / number)
        size = number * max(min(place.array_bytes, most) // MiB * MiB, MiB * len(place.loads))
        many = f"{len(place.loads)} CPU{'s' if len(place.loads) > 1 else ''}"

        def group(delay: int) -> Group:
            work = Workload(kernel=chosen.load, footprint_bytes=size, work=LineWork(), pace_cycles=delay)
            return Group(workload=work, target=target, team=Team(cpus=place.loads), role="load")

        return tuple(
            Slower(f"{chosen.load} on {many}, {f'delay {delay}' if delay else 'no delay'}", load=group(delay))
            for delay in delays
        )


levers.add(Load())
