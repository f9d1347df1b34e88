"""What `peers.py` needs: one file per peer, ours in the same terms, and the comparison."""
