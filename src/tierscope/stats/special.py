"""Quantiles of Student's t, the tail of F, and the functions that the moments of log(variance) need, by scipy.

scipy is loaded when one of them is first needed: it is slow to load, and one visit of each point needs none of them.
Source: scipy.special (the Cephes library of S. L. Moshier); G. K. Smyth, "Linear Models and Empirical Bayes Methods for
Assessing Differential Expression in Microarray Experiments", 2004, appendix (the inverse of trigamma).
"""

from functools import lru_cache

STEPS = 50  # of Newton's method, which needs five
ENOUGH = 1e6  # degrees of freedom that count as infinite


def student(confidence: float, degrees: float) -> float:
    """Return the half-width of the central interval of Student's t that contains `confidence`."""
    from scipy.special import stdtrit

    return float(stdtrit(min(degrees, ENOUGH), (1 + confidence) / 2))


def tail_of_ratio(ratio: float, above: float, below: float) -> float:
    """Return the chance that a ratio of two variances exceeds `ratio`, where both estimate the same.

    above, below: degrees of freedom of the numerator and of the denominator.
    """
    from scipy.special import fdtrc

    return float(fdtrc(min(above, ENOUGH), min(below, ENOUGH), max(ratio, 0.0)))


@lru_cache  # most points have the same few degrees of freedom
def digamma(x: float) -> float:
    """Return the derivative of log(gamma(x)), x > 0."""
    from scipy.special import psi

    return float(psi(x))


@lru_cache
def trigamma(x: float) -> float:
    """Return the derivative of digamma(x), x > 0."""
    from scipy.special import polygamma

    return float(polygamma(1, x))


def inverse_trigamma(value: float) -> float:
    """Return x with trigamma(x) = value > 0, by Newton's method on 1 / trigamma, which is nearly a straight line."""
    from scipy.special import polygamma

    x = 0.5 + 1 / value
    for _ in range(STEPS):
        found = trigamma(x)
        step = found * (1 - found / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return x
