"""How much memory traffic do other programs cause on this machine?"""
