"""Performance, tracked with asv. Backend is the first parameter of every benchmark, threads the second."""
