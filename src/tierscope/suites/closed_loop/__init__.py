"""Do the probers find the parameters of simulated devices whose structure is known?"""
