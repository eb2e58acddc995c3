"""Models: what a family must offer, and how what was learnt is kept in a file."""
