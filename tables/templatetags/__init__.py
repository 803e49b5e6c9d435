"""What templates say of cards, rounds and downs, in words. It never applies a rule."""
