"""Bandwidth of all CPUs and idle latency in about ten seconds."""
