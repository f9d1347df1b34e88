"""Two runs or more beside each other: ratios with intervals, history, rounds, correlation, published tables."""
