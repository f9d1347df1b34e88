"""How well does the emulated tier meet the latency and the bandwidth that were asked for?"""
