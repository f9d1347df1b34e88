"""How far each latency of a curve of fresh regions may be from that of a model of buffers.

It is the error of the median of a point, together with that of the model. The model counts first visits exactly, but
for what the order of visits changes (COUNTED of the latency). Its error in the share of other visits that miss is MODEL
of all that misses take:

    plain   = MODEL * latency                                                          [s]
    misses  = hypot(COUNTED * latency, MODEL * (latency - least latency))              [s]

Small regions at random have only first visits, so that both have COUNTED of the latency there. `misses` is much less
where most of the latency is a time that each line takes. It states up to which error more time makes a point better.
An answer needs `plain`, which allows for what is in no model: with `misses`, an interleaving by a hash that was not
known moved a unit from 16 to 4 KiB.
"""

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_levels import Curve
from tierscope.units import KiB

MODEL = 0.006  # relative error of the closed form, in a latency
COUNTED = 0.0015  # the same of small regions at random: their first visits are only counted, no queue is guessed
SCATTERED_TO = 8 * KiB  # bytes


def plain(curve: Curve) -> Floats:
    """Return the error of the model of each point in seconds, of shape (points,), allowing for what is in no model."""
    counted = curve.scattered & (curve.region_bytes <= SCATTERED_TO)
    return np.asarray(curve.latency_s * np.where(counted, COUNTED, MODEL), dtype=np.float64)


def misses(curve: Curve) -> Floats:
    """Return the error of the model of each point in seconds, of shape (points,), if buffers alone shape the curve."""
    above = curve.latency_s - curve.latency_s.min()
    counted = COUNTED * curve.latency_s
    return np.asarray(np.minimum(plain(curve), np.hypot(counted, MODEL * above)), dtype=np.float64)


def together(curve: Curve, model_s: Floats) -> Floats:
    """Return the error of each point in seconds: that of its median, and that of the model."""
    return np.hypot(curve.latency_s * curve.spread, model_s)
