"""What do two groups of threads lose when they use memory at the same time?"""
