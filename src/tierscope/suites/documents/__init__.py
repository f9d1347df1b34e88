"""Does this machine confirm what a document claims? Each document is one suite that consists of other suites.

A document has two files here. `experiments_NNN.py` states its experiments as parts; `sheet_NNN.py` states its claims
and its tables.
"""
