"""Simulated nights: guests and staff who play through the same verbs as the screens, on a simulated clock.
They never write a row or decide a rule themselves. The same seed plays the same night."""
