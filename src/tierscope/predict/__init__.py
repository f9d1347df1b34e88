"""Run time on a memory that the program did not run on, and how far a model was from what was measured."""
