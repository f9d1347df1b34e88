"""What does it cost to write a line back: clflush, clflushopt, clwb, non-temporal stores, msync?"""
