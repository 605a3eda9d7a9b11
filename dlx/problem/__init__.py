"""The problem as a value: items, options, weights and roles, checked where they come in."""
