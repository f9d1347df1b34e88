"""The wall: everything that is stored of a run, as plain data with units."""
