"""How fast are maps of keys and values in each tier?"""
