"""The dispute page: cards in, the result and its reasons out. It reads rounds and never changes one."""
