"""What every request passes on its way in and out: who must be signed in, JSON as it is read, refusals as they are told.

It never decides a rule of the house.
"""
