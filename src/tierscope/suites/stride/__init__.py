"""What does distance between accesses cost?"""
