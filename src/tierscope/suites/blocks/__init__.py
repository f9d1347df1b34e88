"""What does it cost to copy or write memory in blocks of one size, by one thread and by many?"""
