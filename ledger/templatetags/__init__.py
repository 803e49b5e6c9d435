"""What templates say of amounts, entries and accounts, in words. It computes nothing but their text."""
