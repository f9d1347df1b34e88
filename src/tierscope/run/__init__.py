"""Experiments become Results here, and nowhere else."""
