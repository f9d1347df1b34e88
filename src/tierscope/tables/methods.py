"""Methods: how the numbers of each table are obtained, in words for the reader of a report."""

from dataclasses import dataclass

from tierscope.registry import Registry


@dataclass(frozen=True, slots=True)
class Method:
    """The method of the table `name`. texts: heading -> how it is measured and what it is blind to.

    No texts: they are with another table of the same suite.
    """

    name: str
    texts: dict[str, str]


methods: Registry[Method] = Registry("method", "tierscope.suites", part="method", group="tierscope.methods")
