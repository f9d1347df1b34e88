"""What is the memory of this machine, in two minutes?"""
