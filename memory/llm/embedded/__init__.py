"""The built-in model: extracts by tables, recalls by search, phrases what is stored, and invents nothing."""

from memory.llm.embedded.model import EmbeddedModel

__all__ = ["EmbeddedModel"]
