"""The parts of `champsim.py`: the tracer's stream, its conversion, one machine for both simulators, and their runs."""
