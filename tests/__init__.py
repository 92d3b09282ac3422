"""The tests. Folders mirror memory/ and jobs/; the doubles are in fakes.py, the situations in factories.py."""
