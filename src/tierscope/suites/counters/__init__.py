"""What did the performance counters count in the timed blocks?"""
