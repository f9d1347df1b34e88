"""The virtual machines, one file each."""
