"""How much can a core do at the same time: lines, instructions and stores in flight, and what trains its prefetcher?"""
