"""The rules in words: names, pages, and a reason for every point. They never decide anything."""
