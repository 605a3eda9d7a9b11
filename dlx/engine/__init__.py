"""The loop around every kernel, the choice of a kernel, and the loader of compiled modules."""
