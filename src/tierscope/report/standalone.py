"""A figure outside the page: real colours, a white ground, no controls that a file cannot have."""

from typing import Any

from tierscope.draw.theme import LIGHT, Spec, resolve
from tierscope.draw.vega import LETTER, legend_columns

WIDER = 1.25
"""Width of letters in a viewer's font, relative to the font that places are computed with. DejaVu Sans, a common last
resort, is up to a quarter wider than Liberation Sans and Helvetica in text of lower case."""


def standalone(spec: Spec) -> Spec:
    """Return the specification as `vl_convert` draws it."""
    plain: Spec = _spaced(resolve(_without_controls(spec), LIGHT))
    return {**plain, "background": LIGHT["ground"], "padding": 16}


def _spaced(spec: Spec) -> Spec:
    """Return the spec with columns of the legend so far apart that they do not overlap in the wider font."""
    letters = spec.get("usermeta", {}).get("tierscope", {}).get("legend", 0)
    config = spec.get("config", {})
    legend = config.get("legend", {})
    spare = (WIDER - 1) * letters * LETTER
    top = legend.get("layout", {}).get("top", {})
    wide = {
        "columns": legend_columns(round(WIDER * letters)),
        "columnPadding": legend.get("columnPadding", 0) + spare,
        "titlePadding": (1 + WIDER) * legend.get("titlePadding", 0),
        "layout": {"top": {**top, "margin": top.get("margin", 0) + spare}},
    }
    return {**spec, "config": {**config, "legend": {**legend, **wide}}}


def inline(spec: Spec) -> Spec:
    """Return the spec of a picture inside a page, which gives the roles their colours, in light and dark."""
    plain: Spec = _without_controls(spec)
    return {**plain, "padding": 4}


def _without_controls(value: Any) -> Any:
    """Return the spec without zoom and list boxes; parameters keep their values, since filters ask for them."""
    if isinstance(value, list):
        return [_without_controls(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_controls(entry) for key, entry in value.items() if key != "values"}
    if "values" in value:
        kept["values"] = value["values"]
    if isinstance(kept.get("bind"), dict):
        del kept["bind"]
    if "params" in kept:
        kept["params"] = [param for param in kept["params"] if param.get("bind") != "scales"]
    return kept
