"""The reason behind every point of a round, in words. It explains answers and never computes one."""
