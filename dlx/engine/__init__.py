"""The loop that runs kernels, their progress, the choice of a kernel, and the loader of compiled modules."""
