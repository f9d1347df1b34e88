"""One file, one check of the machine; each adds itself in its last line."""
