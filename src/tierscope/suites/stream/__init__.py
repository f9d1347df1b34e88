"""What bandwidth does each kernel reach over threads?"""
