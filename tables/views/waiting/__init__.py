"""The waiting lists on screen: joining, calling, seating, holding a seat. The verbs decide whose turn it is."""
