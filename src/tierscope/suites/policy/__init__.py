"""How does a memory device interleave, combine, migrate and queue?"""
