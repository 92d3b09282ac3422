"""Column types that hide what differs between SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import DateTime, LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

Vector = NDArray[np.float32]


class UtcDateTime(TypeDecorator[datetime]):
    """Aware times, stored in UTC. Refuses naive ones: SQLite would give them back silently wrong."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive time: hand in an aware one")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class UnitVector(TypeDecorator[Vector]):
    """A float32 row as bytes, on both databases alike: exact search reads whole stores at once."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else np.asarray(value, dtype=np.float32).tobytes()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Vector | None:
        return None if value is None else np.frombuffer(value, dtype=np.float32)
