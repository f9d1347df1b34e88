"""Do two CPUs share a core, and do two threads get more from memory than one?"""
