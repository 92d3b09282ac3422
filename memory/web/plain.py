"""A person's text at display: it cannot turn around or break what stands beside it.

What is stored stays as it was sent; only the page is protected. Directional
overrides and isolates (Unicode Bidirectional Algorithm, UAX #9) are taken out, and
the text stands in its own `<bdi>`, whose direction is guessed from its first letter.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

# LRE RLE PDF LRO RLO, LRI RLI FSI PDI; marks (LRM, RLM) turn nothing around and Arabic needs them.
_DIRECTION = "\u202a-\u202e\u2066-\u2069"
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_HIDDEN = re.compile(f"[{_DIRECTION}{_CONTROL}]")


def neutral(text: str) -> str:
    """The text without direction overrides and control characters; for attributes and titles.

    >>> neutral("pay\\u202egnp.exe")
    'paygnp.exe'
    """
    return _HIDDEN.sub("", text)


def plain(text: str) -> Markup:
    """The text escaped, neutral and isolated, ready for a page.

    >>> plain("<b>")
    Markup('<bdi dir="auto">&lt;b&gt;</bdi>')
    """
    return Markup('<bdi dir="auto">') + escape(neutral(text)) + Markup("</bdi>")
