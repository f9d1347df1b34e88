"""The completions of an option's value: `kernels=tr` becomes `kernels=triad`, and a list gets its next part.

Names of a list come from the option itself. Names of kernels, ISAs and targets come from the core, which is asked only
then; without a core there are none.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:
    from tierscope.plans.options import Option
    from tierscope.record.catalogue import Catalogue


def values_of(option: "Option", begun: str) -> list[str]:
    """Return the words that the value may become. begun: what is typed of it."""
    done, comma, last = begun.rpartition(",")
    taken = set(done.split(","))
    return [f"{done}{comma}{word}" for word in _known(option) if word.startswith(last) and word not in taken]


def _known(option: "Option") -> Iterable[str]:
    if option.kind.known:
        return option.kind.known
    from tierscope.record.experiment import Target

    if Target in (option.type, *get_args(option.type)):
        return _of_build(_targets)
    return _of_build(BUILD[option.name]) if option.name in BUILD else ()


def _of_build(names: "Callable[[Catalogue], Iterable[str]]") -> Iterable[str]:
    from tierscope.errors import TierscopeError
    from tierscope.run import planned

    try:
        return sorted(set(names(planned.catalogue())))
    except TierscopeError:
        return ()


def presets() -> list[str]:
    """Return the names of simulated machines that the core has; none without a core."""
    return list(_of_build(lambda build: (one.name for one in build.simulated)))


def _kernels(build: "Catalogue") -> Iterable[str]:
    return (one.kernel for one in build.kernels)


def _flushes(build: "Catalogue") -> Iterable[str]:
    return build.flushes()


def _structures(build: "Catalogue") -> Iterable[str]:
    return (one.name for one in build.structures if one.available)


def _targets(build: "Catalogue") -> Iterator[str]:
    """Yield each kind of target up to its colon, and simulated memories whole."""
    yield from (f"{one.name}:" for one in build.targets if one.available)
    yield from (f"sim:{one.name}" for one in build.simulated)


BUILD: "dict[str, Callable[[Catalogue], Iterable[str]]]" = {
    "kernels": _kernels,
    "kernel": _kernels,
    "mixes": _kernels,
    "instructions": _flushes,
    "stores": _flushes,
    "structures": _structures,
    "isa": lambda build: (one.isa for one in build.kernels if one.available),
}
"""Options whose names the build has, whatever the suite."""
