"""The export as a zip: written, read as possibly tampered with, and judged. It is given its data and asks no database."""
