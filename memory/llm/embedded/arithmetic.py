"""Small sums, exactly: figures with + - * / and percent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

_NUMBER = r"\d+(?:[.,]\d+)?"
_SUM = re.compile(rf"{_NUMBER}(?:\s*[-+*/x×÷:]\s*{_NUMBER})+")
_PERCENT = re.compile(rf"({_NUMBER})\s*%\s*(?:of|von|de|des|du|d'|da|do)?\s*({_NUMBER})")
_TOKEN = re.compile(rf"{_NUMBER}|[-+*/x×÷:]")
_TIMES, _DIVIDE = frozenset("*x×"), frozenset("/÷:")
_SHOWN_DIGITS = 10


@dataclass(frozen=True)
class Sum:
    """A sum as it was read, and what it makes."""

    text: str
    result: str


def value(folded: str) -> Sum | None:
    """The sum in a text, or None when there is none or it has no value.

    >>> value("what is 12 * 7 + 1"), value("17% of 80")
    (Sum(text='12 * 7 + 1', result='85'), Sum(text='17% of 80', result='13.6'))
    """
    percent = _PERCENT.search(folded)
    if percent:
        result = _decimal(percent[1]) * _decimal(percent[2]) / 100
        return Sum(percent.group(), _shown(result))
    match = _SUM.search(folded)
    if match is None or re.search(r"\d[-/.:]\d+[-/.:]\d", match.group()):  # a date, a phone number or a clock
        return None
    if re.fullmatch(r"\d{1,2}[:/.]\d{2}", match.group()):
        return None
    result_or_none = _evaluate(_TOKEN.findall(match.group()))
    return Sum(match.group(), _shown(result_or_none)) if result_or_none is not None else None


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def _evaluate(tokens: list[str]) -> Decimal | None:
    """Products before sums, from left to right; None for a division by zero."""
    with localcontext() as context:
        context.prec = 28
        try:
            terms, signs = [_decimal(tokens[0])], [Decimal(1)]
            for sign, number in zip(tokens[1::2], tokens[2::2], strict=True):
                if sign in _TIMES:
                    terms[-1] *= _decimal(number)
                elif sign in _DIVIDE:
                    terms[-1] /= _decimal(number)
                else:
                    terms.append(_decimal(number))
                    signs.append(Decimal(-1 if sign == "-" else 1))
            return sum((a * b for a, b in zip(terms, signs, strict=True)), Decimal(0))
        except (DivisionByZero, InvalidOperation):
            return None


def _shown(number: Decimal) -> str:
    text = f"{round(number, _SHOWN_DIGITS):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
