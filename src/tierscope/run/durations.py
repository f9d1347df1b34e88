"""The durations of further visits: of each point alone, and of the mapping that neighbours in the plan share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tierscope.record.result import Record
from tierscope.run.mappings import mapped_by


class Durations:
    """How long the next visits of the points of a run will take, as long as their last ones, without searches.

    records: all first visits, in the order of the plan; visits: all further ones, in theirs. alone: seconds of first
    visits without their searches, by the number of the point; mapped: of these, until its memory was mapped and filled.
    """

    def __init__(
        self,
        records: Sequence[Record],
        visits: Sequence[Record],
        alone: Mapping[int, float],
        mapped: Mapping[int, float],
    ) -> None:
        numbers = [record.number for record in records]
        owners = mapped_by(record.experiment for record in records)
        self._owner = {number: numbers[place] for number, place in zip(numbers, owners, strict=True)}
        self._mapped = mapped
        self._point_s = {record.number: self._without(record, alone) for record in records}
        paid: set[tuple[int, int]] = set()
        for visit in visits:
            pair = visit.moment, self._owner[visit.number]
            least = min(self._point_s[visit.number], visit.seconds)  # it may have mapped less than the owner does
            self._point_s[visit.number] = max(visit.seconds - (0.0 if pair in paid else self.mapping_s(visit)), least)
            paid.add(pair)

    def point_s(self, record: Record) -> float:
        """Return the seconds of a point whose memory is mapped."""
        return self._point_s[record.number]

    def mapping_s(self, record: Record) -> float:
        """Return the seconds to map the memory of a point; 0 where they are not known."""
        return self._mapped.get(self._owner[record.number], 0.0)

    def tour_s(self, records: Iterable[Record]) -> float:
        """Return the seconds of a tour through these points, which maps each memory once."""
        tour = Tour(self)
        return sum(map(tour.add, records))

    def shares_s(self, records: Sequence[Record]) -> dict[int, float]:
        """Return the seconds of each point of a tour, with an equal share of its mapping, by its number."""
        sharing = Counter(map(self.owner, records))
        return {
            record.number: self.point_s(record) + self.mapping_s(record) / sharing[self.owner(record)]
            for record in records
        }

    def owner(self, record: Record) -> int:
        """Return the number of the point that mapped the memory of this one in the first tour."""
        return self._owner[record.number]

    def _without(self, record: Record, alone: Mapping[int, float]) -> float:
        seconds = alone.get(record.number, record.seconds)
        return max(seconds - (self.mapping_s(record) if self._owner[record.number] == record.number else 0.0), 0.0)


class Tour:
    """The points of a tour so far: the first that uses a memory maps it."""

    def __init__(self, durations: Durations) -> None:
        self._durations, self._mapped = durations, set[int]()

    def cost_s(self, record: Record) -> float:
        """Return the seconds that this point would add."""
        mapped = self._durations.owner(record) in self._mapped
        return self._durations.point_s(record) + (0.0 if mapped else self._durations.mapping_s(record))

    def add(self, record: Record) -> float:
        """Take a point into the tour; return the seconds that it adds."""
        seconds = self.cost_s(record)
        self._mapped.add(self._durations.owner(record))
        return seconds
