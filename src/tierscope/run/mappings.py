"""The points of a plan that share a mapping: the core keeps the memory of a group while the next point fits into it."""

from collections.abc import Iterable

from tierscope.record.experiment import Experiment, Group

Memory = tuple[str, str, str]  # target, source and page size


def mapped_by(experiments: Iterable[Experiment]) -> list[int]:
    """Return for each point the place of the one that maps its memory, itself or one before, in their order.

    A point that maps the memory of one of its groups counts as one that maps all, so a time is never too short.
    """
    owner, kept, owners = 0, list[tuple[Memory, int]](), []
    for place, experiment in enumerate(experiments):
        asked = [(_memory(group), group.workload.footprint_bytes) for group in experiment.groups]
        if not (len(asked) <= len(kept) and all(map(_fits, asked, kept))):
            owner, kept = place, asked
        owners.append(owner)
        del kept[len(asked) :]  # the core unmaps what no group uses
    return owners


def _memory(group: Group) -> Memory:
    return group.target.word, "" if group.source is None else group.source.word, group.target.pages


def _fits(asked: tuple[Memory, int], kept: tuple[Memory, int]) -> bool:
    return asked[0] == kept[0] and asked[1] <= kept[1]
