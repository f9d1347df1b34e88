"""How long does a cache line take from one CPU to another?"""
