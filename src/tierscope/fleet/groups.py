"""Groups of machines that should be alike, by identity: the finest identity that enough machines share.

A machine whose own identity is rare, such as one that came back from a repair with another BIOS, is compared with the
machines that share the rest of its identity.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

LADDER = (("sku", "family", "dimms", "bios", "kernel"), ("sku", "family", "dimms", "bios"), ("sku", "family", "dimms"),
          ("sku", "family"))  # fmt: skip
LEAST = 12  # machines with which a median and its spread mean something
IDENTITY = frozenset(LADDER[0])


def grouped(facts: Sequence[Mapping[str, str]]) -> tuple[list[str], dict[str, list[int]]]:
    """Return the group of each machine, "" where too few are like it, and the places of each group's peers.

    A machine belongs to one group. The peers of a coarse group include machines that have a finer group of their own.
    """
    names = [""] * len(facts)
    members: dict[str, list[int]] = {}
    for keys in LADDER:
        found: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(facts):
            found[_name(keys, one)].append(place)
        for name, places in found.items():
            if len(places) >= LEAST and any(not names[place] for place in places):
                members[name] = places
                for place in places:
                    names[place] = names[place] or name
    return names, members


def _name(keys: Sequence[str], facts: Mapping[str, str]) -> str:
    return " ".join(f"{key}={facts.get(key, '?')}" for key in keys)
