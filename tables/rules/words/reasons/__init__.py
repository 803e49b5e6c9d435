"""The reason behind every point of a round, in words. It explains the engine's answer and never computes one."""
