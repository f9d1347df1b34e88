"""How much memory traffic do others cause on this machine?"""
