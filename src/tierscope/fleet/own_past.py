"""Hosts without enough peers, each against its own past: the only comparison that a fleet of one host allows.

It cannot distinguish a fault from what changes with the day for all hosts, such as a Tierscope of another version.
"""

from typing import Any

from tierscope.fleet.store import Store, literal

ASK = """
SELECT machine_key, day::DATE AS day, session, avg(level - middle) AS score FROM (
  SELECT machine_key, day, session, level, median(level) OVER (PARTITION BY machine_key, metric_key) AS middle FROM (
    SELECT machine_key, metric_key, day, session, CASE WHEN lower_is_better THEN -ln(value) ELSE ln(value) END AS level
    FROM {{files}} WHERE plan = {plan} AND machine_key IN ({machines})))
GROUP BY machine_key, day, session
"""


def own_past(store: Store, plan: str, machines: list[int]) -> dict[str, Any]:
    """Return the sessions of machines, by key: machine_key, day, session, score.

    score: mean over the metrics of the logarithm against the machine's own median of all days; above 0 is faster. The
    reference is the same on all days, so a change of it is one of the machine.
    """
    return store.query(ASK.format(plan=literal(plan), machines=", ".join(map(str, machines))), store.row_files())
