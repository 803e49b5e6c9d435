"""What templates say of amounts, entries and accounts, in words. Nothing is computed here but their text."""
