"""The product. Rooms and what each may touch: docs/architecture.md."""
