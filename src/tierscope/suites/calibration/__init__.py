"""Which loop variant was the fastest before each measurement?"""
