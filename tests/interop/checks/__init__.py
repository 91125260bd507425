"""One module for each kind of client."""
