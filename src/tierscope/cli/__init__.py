"""The command line: finds commands, maps errors to exit status."""
