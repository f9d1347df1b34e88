"""How far is each NUMA node from each other one?"""
