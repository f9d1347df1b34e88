"""How does the memory of this machine perform, in two minutes?"""
