"""What templates say of cards, rounds and downs, in words. No rule is applied here."""
