"""Training: the loop, the optimiser, and the files of a run."""
