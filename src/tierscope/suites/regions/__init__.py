"""How long does each line take in regions that were not used before?"""
