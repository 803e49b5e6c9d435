"""The stream of live pages: readers and pieces. It shows what the pages show, and never changes anything."""
