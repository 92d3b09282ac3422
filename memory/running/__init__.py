"""Runs the product's processes: starts and watches them, says where it answers, tells what is wrong.

Knows processes, sockets and signals; knows nothing of what the product does.
"""
