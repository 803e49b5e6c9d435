"""Made-up people and nights for a demo. They never touch a real house: every entry point refuses one
(`not_demo`)."""
