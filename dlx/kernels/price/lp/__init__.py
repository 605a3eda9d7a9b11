"""The dual simplex method for linear programs of nodes and small roots, and Cholesky factors for interior points."""
