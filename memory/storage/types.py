"""Column types that hide what differs between SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BindParameter, ColumnElement, DateTime, LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

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


class _Reals(UserDefinedType[Any]):
    """`real[]` as the driver gives and takes it; SQLAlchemy's own would look into each element."""

    cache_ok = True

    def get_col_spec(self, **_options: Any) -> str:
        return "REAL[]"


class UnitVector(TypeDecorator[Vector]):
    """A float32 row: bytes on SQLite, `real[]` on PostgreSQL, where pgvector can index that.

    Both databases give back the same numbers, bit by bit. `real[]` needs no extension,
    and it is read as bytes too: exact search reads whole stores at once.
    """

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        kind: TypeEngine[Any] = _Reals() if dialect.name == "postgresql" else LargeBinary()
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is None:
            return None
        row = np.asarray(value, dtype=np.float32)
        return _array_text(row) if dialect.name == "postgresql" else row.tobytes()

    def column_expression(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        return _Sent(column, self)

    def bind_expression(self, bindparam: BindParameter[Any]) -> ColumnElement[Any]:
        return _Told(bindparam, self)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Vector | None:
        if value is None:
            return None
        if dialect.name != "postgresql":
            return np.frombuffer(value, dtype=np.float32)
        return np.frombuffer(value, dtype=_SENT_ELEMENT, offset=_SENT_HEADER)["value"].astype(np.float32)


# PostgreSQL's binary form of an array of one dimension: five integers, then each element behind its length.
_SENT_HEADER = 20
_SENT_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f4")])


class _Sent(ColumnElement[Any]):
    """A vector's column as it is read: on PostgreSQL its binary form, because parsing 512 texts is slow."""

    inherit_cache = True
    _traverse_internals = [("column", InternalTraversal.dp_clauseelement)]  # noqa: RUF012 (SQLAlchemy's form)

    def __init__(self, column: ColumnElement[Any], type_: TypeEngine[Any]) -> None:
        self.column, self.type = column, type_


class _Told(_Sent):
    """A vector as it is written: on PostgreSQL a text, ten times faster than a list of numbers."""

    inherit_cache = True


def _array_text(row: Vector) -> str:
    # Nine digits tell all float32 apart.
    return "{" + ",".join([f"{value:.9g}" for value in row.tolist()]) + "}"


@compiles(_Sent)
@compiles(_Told)
def _as_it_is(element: _Sent, compiler: Any, **more: Any) -> str:
    return str(compiler.process(element.column, **more))


@compiles(_Sent, "postgresql")
def _as_bytes(element: _Sent, compiler: Any, **more: Any) -> str:
    return f"array_send({compiler.process(element.column, **more)})"


@compiles(_Told, "postgresql")
def _as_array(element: _Told, compiler: Any, **more: Any) -> str:
    return f"CAST({compiler.process(element.column, **more)} AS REAL[])"
