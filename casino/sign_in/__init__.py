"""Passwords, PINs, one-time codes, second steps, terminals, sessions, failed attempts, and their audit
records. It never decides what somebody may do; that is casino/roles.py."""
