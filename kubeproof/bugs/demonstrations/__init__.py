"""The code of the bugs that components show: one function each, under the rules of any release."""
