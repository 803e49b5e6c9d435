"""The stream of live pages: who hears what, and the pieces that are sent. It shows what the pages show, and never changes
anything."""
