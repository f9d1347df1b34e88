"""Suites: one folder for each question about a machine.

A folder contains its experiments, tables, findings, figures, terminal forms and its own statistics. `experiments*.py`,
`table*.py`, `figure*.py` and `terminal*.py` register themselves; no folder imports another, and what two share is in
`plans`, `tables`, `draw` or `stats`.
"""
