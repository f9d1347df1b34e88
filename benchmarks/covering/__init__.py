"""The parts of `coverage.py`: programs that disturb, one run, what else the machine did, and the goals."""
