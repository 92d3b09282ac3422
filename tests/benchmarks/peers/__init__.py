"""Other memory libraries, each run in an environment of its own for `make bench-peers`."""
