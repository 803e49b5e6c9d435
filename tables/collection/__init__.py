"""Rates, charging and taking fees, waivers, unpaid fees, clock stops. What is owed is computed in `tables/rules/table`."""
