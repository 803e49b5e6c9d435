"""Passwords, PINs, one-time codes, failed attempts, and their audit records. It never decides what somebody may do; that is casino/roles.py."""
