"""The only SQL. Sessions go in, frozen records come out; ORM rows never leave this room."""
