"""How much can a core do at once: lines, instructions and stores in flight, and what trains its prefetcher?"""
