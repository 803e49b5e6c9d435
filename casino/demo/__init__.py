"""Made-up people and nights for a demo. A real house has none of this: every way in refuses one (`not_demo`)."""
