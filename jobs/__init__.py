"""One file a job: a thin shell that takes ids, calls one function of memory/ and gives a count.

Queued by name (`memory.queue.JobName`). Every job may run twice, and may be killed at any line.
"""
