"""The layers of a figure that shows series: a line, the intervals and the points of each.

A click on an entry of the legend shows that series alone. A legend listens only if one layer alone defines its channel,
so one layer has the hue with its scale, and the others name its field.
"""

from dataclasses import dataclass
from typing import Any

from tierscope.draw import vega
from tierscope.draw.theme import Spec

BROAD = 4  # px of the rule of an interval: broader than a line, so that both show


@dataclass(frozen=True, slots=True)
class Curves:
    """Both axes and the hue of series, as `vega.number` and `vega.field` make them.

    A datum has the fields of both axes, the field of the hue, and `low` and `high`, as `vega.bar` makes them.
    """

    x: Spec
    y: Spec
    hue: Spec

    @property
    def same(self) -> Spec:
        """Return the hue for the layers that do not define it."""
        return {"field": self.hue["field"], "type": "nominal"}

    def shown(self, strong: float = 1.0) -> Spec:
        """Return the opacity of a mark: `strong` when its series is picked or nothing is."""
        return vega.shown(self.hue["field"], strong=strong)

    def line(self, width: float | None = None, **channels: Any) -> Spec:
        """Return the lines, with the legend and the zoom. width: px; channels: more of the encoding."""
        stroke = {} if width is None else {"strokeWidth": width}
        return {
            "params": [vega.zoom(), vega.pick(self.hue["field"])],
            "mark": {"type": "line", "clip": True, **stroke},
            "encoding": {"x": self.x, "y": self.y, "color": self.hue, **channels, "opacity": self.shown()},
        }

    def interval(self, width: float = BROAD, strong: float = 0.45, *, axis: str = "y") -> Spec:
        """Return a rule from `low` to `high` of each point, along `axis`. width: px."""
        return {"mark": {"type": "rule", "clip": True, "strokeWidth": width}, "encoding": self._span(strong, axis)}

    def band(self, strong: float = 0.22) -> Spec:
        """Return the area from `low` to `high` around each line."""
        return {"mark": {"type": "area", "clip": True}, "encoding": self._span(strong, "y")}

    def dots(self, size: float, tips: list[Spec], **channels: Any) -> Spec:
        """Return the points. size: px^2; tips: as `vega.tips` makes them; channels: more of the encoding."""
        return {
            "mark": {"type": "point", "clip": True, "size": size},
            "encoding": {
                "x": self.x, "y": self.y, "color": self.same, **channels, "opacity": self.shown(), "tooltip": tips,
            },
        }  # fmt: skip

    def _span(self, strong: float, axis: str) -> Spec:
        ends = {axis: vega.field("low", "q"), f"{axis}2": {"field": "high"}}
        return {"x": self.x, "y": self.y, **ends, "color": self.same, "opacity": self.shown(strong)}
