"""Rules changed in the small ways in which code is wrong, and what each change is found out by."""
