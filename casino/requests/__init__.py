"""Middleware and formats of every request: required sign-in, JSON parsing, refusals. It never decides a rule
of the house."""
