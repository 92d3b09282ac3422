"""One HTML page a experiment, drawn with Plotly; it needs no network and offers no upload."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from memory.worth.experiments.reporting import ROWS

CONFIG = {"showSendToCloud": False, "plotlyServerURL": "", "displaylogo": False}

TITLES = {
    "1": "Experiment 1: rank correlation of Memory Worth with the true utility",
    "2": "Experiment 2: requests of different difficulty",
    "3": "Experiment 3: retrieval driven by its own worth",
    "4": "Experiment 4: the hitchhiker",
    "5": "Experiment 5: Memory Worth over sentence vectors, a fact goes stale at episode 100",
    "drift": "Drift: how fast a stale memory is noticed",
    "cold": "Cold start: good newcomers accused",
    "loop": "Closed loop on text: share of requests that went well",
}


def write(name: str, result: Mapping[str, Any], folder: Path) -> Path:
    """Draw one experiment's result and return the page's path."""
    figure = _curves(name, result) if "curves" in result else _bars(name, result)
    figure.update_layout(title=TITLES[name], template="plotly_white", hovermode="x unified")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"worth-experiment-{name}.html"
    figure.write_html(path, include_plotlyjs=True, config=CONFIG)
    return path


def _curves(name: str, result: Mapping[str, Any]) -> go.Figure:
    figure = go.Figure()
    for label, values in result["curves"].items():
        x = result.get("checkpoints") or list(range(1, len(values) + 1))
        figure.add_trace(go.Scatter(x=x, y=values, mode="lines", name=label.replace("_", " ")))
    figure.update_xaxes(title="episodes")
    figure.update_yaxes(range=[0, 1])
    if "change" in result:
        figure.add_vline(x=result["change"], line_dash="dot", annotation_text="the fact goes stale")
    if name == "5":
        figure.add_hline(y=0.40, line_dash="dash", annotation_text="low")
    return figure


def _bars(name: str, result: Mapping[str, Any]) -> go.Figure:
    rows = [row for row in ROWS if row.experiment == name and result.get(row.key) is not None]
    return go.Figure(
        go.Bar(
            x=[result[row.key] for row in rows],
            y=[f"{row.says} (paper: {row.paper})" if row.paper else row.says for row in rows],
            orientation="h",
        )
    ).update_yaxes(autorange="reversed", automargin=True)
