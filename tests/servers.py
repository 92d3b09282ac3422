"""Fixtures for a running product."""
