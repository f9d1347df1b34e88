"""Thresholds on the main numbers of a run: a file of them, their judgement, and JUnit XML."""
