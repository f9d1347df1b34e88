"""The smallest model: bandwidth of n equal threads that share one roof.

    B(n) = b_max * n / (n + n_half)                                        [bytes/s]

`tierscope models skeleton` prints this text: the list shows its first line. State what each name means, with
its unit: b_max is the roof, in bytes/s; n_half is the number of threads that reach half of it.
Limits: threads do not disturb each other: B(n) never falls.
Source: name the paper here, with authors, title, venue and year.
"""

from dataclasses import dataclass
from typing import ClassVar

from tierscope.models import models
from tierscope.models.model import Prediction, Span


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The fields are the constants of the model. A model computes; it does not read files."""

    name: ClassVar[str] = "skeleton"
    b_max: float  # bytes/s
    n_half: float  # threads
    valid: Span  # the places between which the constants were found

    def predict(self, threads: float) -> Prediction:
        """Return bytes/s with bounds; UsageError for threads that are not above 0."""
        # Every prediction outside of `valid` is marked so.
        value = self.b_max * threads / (threads + self.n_half)
        far = self.valid.distance(threads)
        return Prediction(value, value / far, min(value * far, self.b_max), "B/s", self.valid.warnings(threads))


# A model that `tierscope predict` can ask also has `preset`, `writes`, `without_effect` and `checked`: see run_time.py.
models.add(Skeleton)
