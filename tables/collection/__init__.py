"""Rates, charging and taking fees, waivers, unpaid fees, clock stops. It never computes what is owed."""
