"""Many machines, one verdict: measure hosts, store their reports, find the slow ones and since when."""
