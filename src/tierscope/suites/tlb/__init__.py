"""What does address translation cost, and how many pages does each TLB cover?"""
