"""One file per element: its equations and its table."""
