"""What did the performance counters see in the timed blocks?"""
