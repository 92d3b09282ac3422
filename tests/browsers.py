"""Fixtures for a real browser."""
