"""An answer's markdown as HTML that is safe to put into the page."""

from __future__ import annotations

import re
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

# Each block takes its direction from its own first strong letter, so that an Arabic
# line between Latin ones runs its own way and cannot turn its neighbours around.
_BLOCKS = frozenset({"p", "li", "ul", "ol", "blockquote", "th", "td", "h3", "h4", "h5", "h6"})
_INLINE = frozenset({"strong", "em", "s", "code", "a", "br"})
_STRUCTURE = frozenset({"pre", "hr", "table", "thead", "tbody", "tr"})
_SMALLEST_HEADING = 6
_HEADING_SHIFT = 2  # the page's own headings are h1 and h2

# Embedding, override and isolate marks reorder everything that follows them.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def _parser() -> MarkdownIt:
    # Images are left out: loading one would tell a stranger's server who reads what, and when.
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    return parser.disable(["image", "html_block", "html_inline"])


_PARSER = _parser()
_CLEANER = nh3.Cleaner(
    tags=set(_BLOCKS | _INLINE | _STRUCTURE),
    attributes={"a": {"href", "title"}, "ol": {"start", "dir"}, **{tag: {"dir"} for tag in _BLOCKS - {"ol"}}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def to_html(text: str) -> Markup:
    """Give sanitised HTML for an answer: no script, no image, no class, no style, links made harmless.

    The markdown is rendered without HTML and the result is cleaned by an allow-list
    all the same, so that a fault in one of the two is not a hole.
    """
    environment: dict[str, Any] = {}
    tokens = _PARSER.parse(_REORDERING.sub("", text), environment)
    for token in tokens:
        _shape(token)
    rendered = _PARSER.renderer.render(tokens, _PARSER.options, environment)
    return Markup(_CLEANER.clean(rendered))  # noqa: S704 (cleaned in this very line)


def _shape(token: Token) -> None:
    if token.type in ("heading_open", "heading_close"):
        level = min(int(token.tag[1]) + _HEADING_SHIFT, _SMALLEST_HEADING)
        token.tag = f"h{level}"
    if token.nesting == 1 and token.tag in _BLOCKS:
        token.attrSet("dir", "auto")
