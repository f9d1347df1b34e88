"""The fact that separates two modes: DIMM part, BIOS, microcode, rack, or any other that hosts report.

Each machine is placed in the mode that most *other* machines with its value have, so a fact that is different on every
host (a serial number) explains nothing. Cohen's kappa compares the agreement with chance.
Source: J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement, 1960.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from tierscope.fleet.outliers_result import Covariate

KAPPA = 0.8  # "almost perfect": J. R. Landis, G. G. Koch, Biometrics, 1977


def separating(facts: Sequence[Mapping[str, str]], slow: Sequence[bool]) -> Covariate | None:
    """Return the fact that separates the slow machines best; None if none does."""
    names = sorted({name for one in facts for name in one})
    rated = [(kappa, agreement, name) for name in names for kappa, agreement in [_rate(name, facts, slow)]]
    kappa, agreement, name = max(rated, key=lambda one: one[:2], default=(0.0, 0.0, ""))
    if kappa < KAPPA:
        return None
    return Covariate(fact=name, slow_values=tuple(sorted(slow_values(name, facts, slow))), agreement=agreement)


def slow_values(name: str, facts: Sequence[Mapping[str, str]], slow: Sequence[bool]) -> set[str]:
    """Return the values of a fact most of whose machines are slow."""
    total = Counter(one.get(name, "") for one in facts)
    bad = Counter(one.get(name, "") for one, is_slow in zip(facts, slow, strict=True) if is_slow)
    return {value for value, count in bad.items() if 2 * count > total[value]}


def _rate(name: str, facts: Sequence[Mapping[str, str]], slow: Sequence[bool]) -> tuple[float, float]:
    """Return kappa and agreement of a fact."""
    values = [one.get(name, "") for one in facts]
    total = Counter(values)
    bad = Counter(value for value, is_slow in zip(values, slow, strict=True) if is_slow)
    share = sum(slow) / len(slow)
    guessed = [
        _guess(bad[value] - is_slow, total[value] - 1, share) for value, is_slow in zip(values, slow, strict=True)
    ]
    agreement = sum(one == bool(is_slow) for one, is_slow in zip(guessed, slow, strict=True)) / len(slow)
    guess_share = sum(guessed) / len(slow)
    chance = share * guess_share + (1 - share) * (1 - guess_share)
    return ((agreement - chance) / (1 - chance) if chance < 1 else 0.0), agreement


def _guess(bad: int, others: int, share: float) -> bool:
    return bad / others > 0.5 if others else share > 0.5
