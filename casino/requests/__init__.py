"""Middleware and formats of every request. It never decides a rule of the house."""
