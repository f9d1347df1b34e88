"""How did the blocks of a run go over time?"""
