"""Rules changed in the small ways in which code is wrong, and what each change is found out by.

`operators` and `mutants` make them, `judged` and `run` find out what finds them out, and `kept` is what is kept of
that, with the reasons why some survive.
"""
