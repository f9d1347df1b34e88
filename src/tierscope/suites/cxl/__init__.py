"""What does memory behind a link cost, and what does it add?"""
