"""What do the user's own groups measure?"""
