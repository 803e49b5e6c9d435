"""Disputes: the page with cards in, the result and its reasons out, which reads rounds and never changes one;
and disputes and complaints as records, with their outcome."""
