"""Prompts, one file each."""
