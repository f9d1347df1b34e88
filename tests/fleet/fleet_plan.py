"""A plan for tests of fleets: a chase through simulated memory, whose answer does not depend on other programs."""

PLAN = """[schedule]
budget = "0.01s"
[[experiment]]
label = "chase"
[[experiment.group]]
kernel = "chase"
target = "sim:optane100"
cpus = "0"
footprint = "4MiB"
"""
