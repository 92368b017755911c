"""A run as one page for a browser: the moving model, its curves, claims and tables, in a single file that needs no network."""
