"""The best cover: Lagrangian bounds, strong branching, branch and bound, and its proof log."""
