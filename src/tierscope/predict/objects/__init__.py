"""The objects of a program: what waits for each on a tier, and which of them should be in the faster memory."""
