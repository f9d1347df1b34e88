"""Which buffers does a memory device have, and how large are they?"""
