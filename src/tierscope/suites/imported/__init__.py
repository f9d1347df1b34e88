"""What did another tool print?"""
