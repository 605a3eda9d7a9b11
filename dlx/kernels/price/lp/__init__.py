"""Linear programs: the dual simplex method for nodes and small roots, the interior point for large sparse roots."""
