"""The parts of `peers.py`: one file per peer, ours in the same terms, and the comparison."""
