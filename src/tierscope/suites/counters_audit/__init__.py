"""Do the performance events of this machine count what their names state?"""
