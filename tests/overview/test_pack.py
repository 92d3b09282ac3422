"""Packing: properties that hold for any blocks and any budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.overview.blocks import ORDER, Block, Entry
from memory.overview.pack import arrange, pack, tokens_of
from memory.overview.render import quoted

entries = st.builds(
    lambda key, size, rank: Entry(key=f"k{key}", text="x" * size, tokens=tokens_of("x" * size), rank=rank),
    st.integers(0, 30),
    st.integers(1, 400),
    st.integers(0, 8),
)
filled = st.lists(entries, max_size=6).map(tuple)
blocks = st.lists(st.sampled_from(ORDER), unique=True, max_size=6).flatmap(
    lambda names: st.tuples(*(st.builds(Block, source=st.just(name), entries=filled) for name in names))
)


def total(given_blocks: tuple[Block, ...]) -> int:
    return sum(entry.tokens for block in given_blocks for entry in block.entries)


@given(blocks, st.integers(0, 1200))
def test_never_over_budget_and_nothing_invented(told: tuple[Block, ...], budget: int) -> None:
    kept = pack(told, budget)
    assert total(kept) <= budget
    asked = [(block.source, entry) for block in told for entry in block.entries]
    assert all((block.source, entry) in asked for block in kept for entry in block.entries)


@given(blocks, st.integers(0, 1200))
def test_nothing_stands_in_two_blocks(told: tuple[Block, ...], budget: int) -> None:
    keys = [entry.key for block in pack(told, budget) for entry in block.entries]
    assert len(keys) == len(set(keys))


@given(blocks)
def test_all_is_kept_when_it_fits(told: tuple[Block, ...]) -> None:
    assert pack(told, 10**6) == arrange(told)


@given(blocks, st.integers(0, 1200), st.randoms())
def test_the_order_in_which_sources_answer_does_not_matter(
    told: tuple[Block, ...], budget: int, lots: object
) -> None:
    mixed = list(told)
    lots.shuffle(mixed)  # type: ignore[attr-defined]
    assert pack(mixed, budget) == pack(told, budget)


def test_the_least_important_goes_first() -> None:
    def block(source: str) -> Block:
        return Block(source=source, entries=(Entry(key=source, text="", tokens=100),))

    kept = pack([block(source) for source in ORDER], 350)
    assert [each.source for each in kept if each.entries] == ["settled", "rules", "recent"]


@given(st.text(max_size=80))
def test_recalled_text_cannot_close_its_block(text: str) -> None:
    assert "<" not in quoted(text)
    assert ">" not in quoted(text)
