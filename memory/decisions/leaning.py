"""What a sentence leans to claim, and what a question leans to ask for: two small networks. Pure.

Words alone do not tell "we ring your bell on Friday" (a claim about the delivery) from
"your neighbour is out on Friday". Both networks read the sentence's vector, its word
sequences and what the guard's tables find in it, and give each shipped key its log odds
against "none of them". Their weights (`data/leaning.npz`) are made by
`python -m memory.decisions.train` from `data/training/<language>.tsv`; a key of another
file has none and is judged by words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from memory import language as lang
from memory.decisions.naming import View, clause_of, named_among, speaks_to_them, table
from memory.decisions.schema import Keys, KeyType
from memory.decisions.schema import load as load_keys
from memory.decisions.stated import kinds
from memory.listening import durable
from memory.listening.network import Floats, Network, grams, read
from memory.listening.network import inputs as beside

WEIGHTS = Path(__file__).parent / "data" / "leaning.npz"
_NOT_READ = ("units", "split")


def claimed(sentence: str, view: View) -> Mapping[str, float]:
    """Log odds, by shipped key, that a sentence states a value of it as holding for the person."""
    return _by_key("claims", sentence, view)


def asked_for(question: str, view: View) -> Mapping[str, float]:
    """Log odds, by shipped key, that a message asks for the settled value of it, and for nothing else."""
    return _by_key("asks", question, view)


def _by_key(which: str, text: str, view: View) -> Mapping[str, float]:
    network = networks()[which]
    row = odds_of(network, inputs([text], [view]), grams([text]), view.language)[0]
    told = dict(zip(network.classes[1:], map(float, row), strict=True))
    shipped = _shipped()
    return {
        name: odds
        for name, odds in told.items()
        if (key := view.keys.get(name)) is not None and key.type is shipped.by_name[name].type
    }


def odds_of(network: Network, seen: Floats, words: Floats, language: str) -> Floats:
    """Log odds of each key against none, shape (texts, classes - 1)."""
    raw = network.logits(seen, words, language)
    return raw[:, 1:] - raw[:, :1]


def inputs(texts: Sequence[str], views: Sequence[View]) -> Floats:
    """Vectors beside what the tables find, shape (texts, 512 + found)."""
    return beside(durable.vectors(texts), [_found(*each) for each in zip(texts, views, strict=True)])


def _found(text: str, view: View) -> list[float]:
    """What the guard's tables find in a text, in a fixed order."""
    folded, words = lang.fold(text), table(view.language)
    keys = list(_shipped().by_name.values())
    named = named_among(keys, folded, view)
    told = kinds(clause_of(text, view), [key for key in keys if key.type is KeyType.CHOICE])
    hits = [bool(words[name].search(folded)) for name in sorted(words) if name not in _NOT_READ]
    hits += [speaks_to_them(text, view), text.rstrip().endswith("?")]
    hits += [key.name in named for key in keys]
    hits += [told[name] for name in sorted(told)]
    return [float(hit) for hit in hits]


@cache
def _shipped() -> Keys:
    return load_keys()


@cache
def networks() -> Mapping[str, Network]:
    """Both networks: "claims" and "asks"."""
    classes = ("none", *sorted(_shipped().by_name))
    return {which: read(WEIGHTS, which, classes) for which in ("claims", "asks")}
