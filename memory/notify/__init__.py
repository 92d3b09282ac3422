"""Notifications: which device tells of a reminder, and reaching it while no page is open.

Nothing is imported here: what sends (`delivery`, `push`) brings a network library that
the processes which only choose a device (`targets`) should not wait for.
"""
