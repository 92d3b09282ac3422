"""The experiments run, small, and their figures point the right way; the bench has the full ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memory.worth.experiments import cold, convergence, drift, feedback, household, loop, minilm, plots, text
from memory.worth.experiments.main import main, model_home
from memory.worth.experiments.reporting import ROWS, Goal, Row, missed, scalars, table
from memory.worth.experiments.statistics import ranks, spearman

VAR = Path(__file__).parents[2] / "var"
MODEL = model_home(VAR)

needs_model = pytest.mark.skipif(
    not minilm.is_installed(MODEL), reason="the sentence model is not installed; the experiments install it"
)


def quiet(_: str) -> None:
    """Progress that nobody reads."""


def test_spearman_shares_ranks_among_equals() -> None:
    assert ranks([10, 20, 20, 30]).tolist() == [1, 2.5, 2.5, 4]
    assert spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) == pytest.approx(0.8208, abs=1e-4)


def test_memory_worth_converges_and_knowing_the_use_is_faster() -> None:
    result = convergence.run(2, quiet)
    assert result["mw_rho_2k"] < result["mw_rho_10k"]
    assert result["mw_rho_10k"] > 0.85
    assert result["used_rho_2k"] > result["mw_rho_2k"] + 0.15


def test_feedback_needs_the_floor_at_low_temperature() -> None:
    result = feedback.run(1, quiet)
    assert result["tau1"] > 0.85
    assert result["tau01_floor"] > result["tau01"]


def test_drift_is_found_and_calm_is_left_alone() -> None:
    result = drift.run(1, quiet)
    assert result["p90_uses_50"] <= 20
    assert result["p90_uses_1000"] <= 20
    assert result["mw_uses_1000"] > 1000
    assert result["false_per_10k"] <= 1.5


def test_good_newcomers_are_not_condemned() -> None:
    assert cold.run(1, quiet)["p_condemned"] <= 0.001


@needs_model
def test_sentence_vectors_equal_the_published_similarities() -> None:
    # Documentation of sentence-transformers: quickstart, and semantic textual similarity.
    pairs = {
        ("The weather is lovely today.", "It's so sunny outside!"): 0.6660,
        ("The weather is lovely today.", "He drove to the stadium."): 0.1046,
        ("It's so sunny outside!", "He drove to the stadium."): 0.1411,
        ("The new movie is awesome", "The new movie is so great"): 0.8939,
        ("The new movie is awesome", "The dog plays in the garden"): 0.0543,
        ("The cat sits outside", "The dog plays in the garden"): 0.2838,
    }
    model = minilm.MiniLM(MODEL)
    for (left, right), published in pairs.items():
        a, b = model.encode([left, right])
        assert float(a @ b) == pytest.approx(published, abs=6e-4)
        assert float(np.linalg.norm(a)) == pytest.approx(1.0, abs=1e-5)


@needs_model
def test_text_worth_of_a_stale_fact_falls() -> None:
    history = text.simulate(household.load(MODEL), 1)
    stale = household.load(MODEL).index(household.STALE)
    assert history[text.CHANGE - 1, stale] > 0.85
    assert history[-1, stale] < 0.25


@needs_model
def test_the_trial_convicts_the_stale_memory_and_nobody_else() -> None:
    world = household.load(MODEL)
    run = loop.simulate(world, loop.Way.GOVERNED, 1)
    assert set(run.silenced) == {world.index(household.STALE)}
    assert run.silenced[world.index(household.STALE)] - loop.CHANGE <= 200


@needs_model
def test_nothing_is_suppressed_while_the_world_stays_as_it_is() -> None:
    run = loop.simulate(household.load(MODEL), loop.Way.GOVERNED, 3, change=loop.EPISODES)
    assert run.silenced == {}


def test_without_the_model_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not installed"):
        minilm.MiniLM(tmp_path)


def test_table_says_what_is_missed() -> None:
    results = {"cold": {"p_condemned": 0.5}}
    assert missed(results) == ["cold.p_condemned"]
    assert "NO" in table(results)
    assert missed({"cold": {"p_condemned": 0.0}}) == []
    assert missed({"cold": {}}) == ["cold.p_condemned"]


def test_every_held_figure_has_a_bound() -> None:
    assert all(row.least is not None or row.most is not None for row in ROWS if row.goal is not Goal.NONE)
    assert Row(experiment="1", key="x", says="", goal=Goal.AIM, least=1, most=2).is_met(1.5)


def test_scalars_leave_curves_out() -> None:
    assert scalars({"a": 0.1234567, "curves": {"x": [1.0]}, "b": None}) == {"a": 0.12346, "b": None}


def test_command_line_prints_one_json_line_last_and_plots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cold", "--seeds", "1", "--out", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    line = json.loads(captured.out.strip().splitlines()[-1])
    assert (line["experiment"], line["seeds"], line["missed"]) == ("cold", 1, [])
    assert "cold start" in captured.err
    page = (tmp_path / "worth-experiment-cold.html").read_text(encoding="utf-8")
    assert '"showSendToCloud": false' in page


def test_curves_are_drawn_as_lines(tmp_path: Path) -> None:
    path = plots.write("5", {"curves": {"stale": [0.9, 0.2]}, "change": 1}, tmp_path)
    assert "scatter" in path.read_text(encoding="utf-8")
