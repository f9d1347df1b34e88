"""How much do neighbours slow a computation down?"""
