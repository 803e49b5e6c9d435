"""The pages of the floor, one folder per desk, forms beside their views. A view calls one verb and never holds a rule."""
