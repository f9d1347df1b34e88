"""The parts of `variants.py`: an exhaustive search by trials, and one case on this machine."""
