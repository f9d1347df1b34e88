"""How well does the emulated tier meet the latency and the bandwidth that the user asked for?"""
