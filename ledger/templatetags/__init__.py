"""What templates say of amounts, entries and accounts, in words. It never computes anything but their text."""
