"""How experiments tell of themselves: progress lines, and a table beside the paper's figures."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]
