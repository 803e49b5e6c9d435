"""The waiting lists on screen: joining, calling, seating, holding. They never decide whose turn it is."""
