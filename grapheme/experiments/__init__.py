"""The experiments that ship."""
