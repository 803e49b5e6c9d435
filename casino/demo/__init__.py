"""Made-up people and nights for a demo. They never touch a real house: every way in refuses one (`not_demo`)."""
