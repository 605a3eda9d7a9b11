"""What the `dlx` command does: a problem that is read and answered, and what is said of all its covers."""
