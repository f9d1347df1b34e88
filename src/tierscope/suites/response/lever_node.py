"""The victim gets the memory of another NUMA node, and stays on its CPUs."""

from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.suites.response.lever import Place, Slower, levers
from tierscope.suites.response.options import FLOW, ResponseOptions


def others(machine: Machine, chosen: ResponseOptions) -> list[int]:
    """Return the numbers of the other nodes with memory."""
    nodes = [node.number for node in machine.identity.nodes if node.memory_bytes > 0]
    return [number for number in nodes if str(number) != chosen.target.node]


class Node:
    """One step for each other node. Its bandwidth differs, too: the table has that of both."""

    name = "node"
    summary = "memory of another node"
    cycles = False

    def why_not(self, machine: Machine, chosen: ResponseOptions, place: Place) -> str:
        """Return that there is no other node, or that the memory without a lever is none."""
        del place
        if chosen.target.name != "node":
            return f"target={chosen.target.word} is not a node"
        if chosen.victim == FLOW:
            return f"victim {FLOW} takes the memory of its own node; name a command"
        return "" if others(machine, chosen) else "no other node has memory"

    def steps(self, machine: Machine, chosen: ResponseOptions, place: Place) -> tuple[Slower, ...]:
        """Return them by their numbers."""
        del place
        return tuple(
            Slower(f"memory of node {number}", memory=Target(name="node", where=str(number), pages=chosen.pages))
            for number in others(machine, chosen)
        )


levers.add(Node())
