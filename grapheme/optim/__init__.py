"""Optimisers and schedules of the learning rate, on arrays of any backend."""
