"""Unit propagation and clause learning."""
