"""All that comes from outside is read here: in bounded memory, once, and refused in one line."""
