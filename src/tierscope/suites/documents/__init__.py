"""Does this machine bear out what a document claims? Each document is one suite, made of other suites.

A document has two files here: `experiments_NNN.py` states its experiments as parts, and `sheet_NNN.py` its claims and
its tables.
"""
