"""An answer's HTML: what it may hold, and that nothing else gets through."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.web.markdown import to_html

_TAGS = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>")
_ALLOWED = {"p", "br", "strong", "em", "s", "code", "pre", "a", "ul", "ol", "li", "blockquote", "hr"} | {
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a** *b* ~~c~~", "<strong>a</strong> <em>b</em> <s>c</s>"),
        ("one\ntwo", "one<br>"),
        ("# Title", '<h3 dir="auto">Title</h3>'),
        ("3. c", '<ol start="3" dir="auto">'),
        ("|a|\n|-|\n|1|", '<td dir="auto">1</td>'),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
    ],
)
def test_markdown_is_shown(text: str, expected: str) -> None:
    assert expected in to_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href='https://e.example' onclick=a()>x</a>",
        "![tracker](https://e.example/p.png)",
        "<iframe src=https://e.example></iframe>",
        "<style>*{display:none}</style>",
    ],
)
def test_nothing_that_acts_or_loads_by_itself_gets_through(text: str) -> None:
    html = to_html(text)
    for tag in ("<script", "<img", "<iframe", "<style", "javascript:", "data:text"):
        assert tag not in re.sub(r"&lt;|\[x\]\([^)]*\)", "", html)
    assert not [attributes for _, _, attributes in _TAGS.findall(html) if "on" in attributes.split("=")[0]]


def test_a_link_opens_apart_and_tells_nobody_where_it_was() -> None:
    html = to_html("[x](https://e.example)")
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_an_override_cannot_turn_the_line_around() -> None:
    assert "\u202e" not in to_html("the handle is pay\u202egnp.exe and more")


def test_each_block_takes_its_own_direction() -> None:
    assert to_html("first\n\nسلمى في Lyon").count('dir="auto"') == 2


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("<>\"'&/=()[]!*_~`#|-\n abjsx:on"), max_size=120))
def test_only_allowed_tags_come_out_whatever_goes_in(text: str) -> None:
    for _, tag, attributes in _TAGS.findall(to_html(text)):
        assert tag in _ALLOWED
        names = set(re.findall(r'([a-z]+)="', attributes))
        assert names <= {"dir", "href", "title", "rel", "target", "start"}
