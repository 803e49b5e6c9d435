"""The pages of the floor, a folder per desk. A view calls one verb and never holds a rule."""
