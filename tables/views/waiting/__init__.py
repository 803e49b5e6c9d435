"""The waiting lists on screen: joining, calling, seating, holding a seat. They never decide whose turn it is; the verbs do."""
