"""A person's own data: taken away, brought back, erased."""
