"""Words of a folded text."""

from __future__ import annotations

import re

# A word keeps inner hyphens, apostrophes and dots between digits together only for codes and numbers.
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*[^\W_]*|[^\W_]+", re.UNICODE)


def words(folded: str) -> list[str]:
    """The words of `folded` text in order; numbers and codes are kept whole ("0042", "12:30", "0b7").

    >>> words("l'ascenseur: 0042, b-12")
    ['l', 'ascenseur', '0042', 'b', '12']
    """
    return _WORD.findall(folded)
