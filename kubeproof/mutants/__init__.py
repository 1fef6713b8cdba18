"""Rules changed in the small ways in which code is wrong, and what each change is found out by.

`operators` and `mutants` make them, `judged` and `run` find out what finds them out, `kept` is what is kept of that,
and `reasons` why some survive.
"""
