"""Which way of walking through memory was the fastest before each measurement?"""
