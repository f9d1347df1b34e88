"""Rules that the columns of all tables follow."""

from collections import Counter

import pytest

from tierscope.audit.own import _stem
from tierscope.tables import tables


@pytest.mark.parametrize("table", sorted(tables))
def test_the_bounds_of_one_number_are_not_those_of_another(table: str) -> None:
    """A period next to a lower bound of another name, in writes, was an impossible interval to the audit."""
    names = {column.name for column in tables[table].columns}
    ends = {name.removesuffix("_low") for name in names if name.endswith("_low")}
    values = Counter(_stem(name) for name in names if not name.endswith(("_low", "_high")))
    units = {column.name: column.unit for column in tables[table].columns}
    for stem in ends & values.keys():
        assert values[stem] == 1
        (value,) = (name for name in names if _stem(name) == stem and not name.endswith(("_low", "_high")))
        assert units[value] == units[f"{stem}_low"]
