"""Equal states solved once: counts, decision diagrams, and counts up to isomorphism."""
