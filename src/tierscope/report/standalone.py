"""A figure outside the page: real colours, a white ground, no controls that a file cannot have."""

from typing import Any

from tierscope.draw.theme import LIGHT, Spec, resolve


def standalone(spec: Spec) -> Spec:
    """The specification as `vl_convert` draws it."""
    plain: Spec = resolve(_without_controls(spec), LIGHT)
    return {**plain, "background": LIGHT["ground"], "padding": 16}


def inline(spec: Spec) -> Spec:
    """For a picture inside a page, which gives the roles their colours, in light and dark."""
    plain: Spec = _without_controls(spec)
    return {**plain, "padding": 4}


def _without_controls(value: Any) -> Any:
    """Without zoom and list boxes; the parameters keep their values, since filters ask for them."""
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
