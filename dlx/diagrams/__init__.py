"""All covers of a problem as a decision diagram, and what it answers."""
