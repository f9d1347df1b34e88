"""What properties does the memory of this machine have, in two minutes?"""
