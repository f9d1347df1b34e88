"""How long does one dependent access take, from the first cache to memory?"""
