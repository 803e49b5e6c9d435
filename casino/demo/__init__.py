"""Made-up people and nights for a demo. They never touch a real house (`not_demo`)."""
