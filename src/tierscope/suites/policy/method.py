"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, PAIRS

TEXTS = {
    "Policies of the memory": (
        "Each property has a test and a control. Lines per second at strides that favour one of several memories are "
        "compared with a stride that uses all of them alike. Pairs of reads at random places show whether one memory "
        "serves all addresses: the second read then always waits. Writes to one small place are compared with writes "
        "to a far larger one, and stores of neighbouring lines with lines that no queue can join. A property counts as "
        "found if the structure that it describes is far likelier than none, and its numbers have 95 % ranges. Limits: "
        "it does not detect structures that the test does not reach: a queue of one behind interleaved memories, or a "
        "stall shorter than a block."
    ),
}

methods.add(Method("policy", TEXTS))
for name in (INTERLEAVE, PAIRS, MIGRATION, COMBINING):
    methods.add(Method(name, {}))
