"""Any program on another memory: its time here, and a trace of it replayed on this machine and on each tier."""
