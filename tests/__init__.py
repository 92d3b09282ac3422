"""The tests. Folders mirror memory/ and jobs/; doubles are in fakes.py, situations in factories.py."""
