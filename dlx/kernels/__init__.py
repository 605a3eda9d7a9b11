"""The hot loops: Python sources compiled by Cython.

A kernel's `run` goes on with its search and returns one of three states.
"""

EXHAUSTED = 0
BUFFER_FULL = 1
BUDGET_SPENT = 2
