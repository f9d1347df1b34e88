"""How does the run time of a program answer to slower memory? A lever slows it here, in known steps."""
