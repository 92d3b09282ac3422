"""The base of all tools' arguments."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Arguments(BaseModel):
    """Arguments of a tool; what is not known is ignored, not an error."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
