"""How does latency rise with load?"""
