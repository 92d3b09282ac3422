"""The empty figure: traces and layout from Plotly's own classes, to be filled in the browser."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from memory.records import Category

# Centres by category: symbol, size and the colour's name. The reminder's diamond is small and hollow,
# the person's circle has a rim.
SHAPES: dict[Category, tuple[str, float, str]] = {
    Category.FACT: ("circle", 8.5, "known"),
    Category.PERSON: ("circle", 10.5, "person"),
    Category.EVENT: ("diamond", 11.5, "lived"),
    Category.MEMO: ("hexagon", 10.5, "memo"),
    Category.TASK: ("triangle-up", 11.5, "to_do"),
    Category.REMINDER: ("diamond-open", 8.5, "reminder"),
    Category.THEME: ("star", 17.0, "theme"),
}
HALO_SIZE = 36.0
PALETTES: dict[str, dict[str, str]] = {
    "dark": {
        "known": "#dff4f6",
        "person": "#a9a4bd",
        "rim": "#ffffff",
        "lived": "#f0d79b",
        "memo": "#c9ecf5",
        "to_do": "#eccb8d",
        "reminder": "#ecd2c8",
        "theme": "#f7dfa4",
        "halo": "rgba(128, 164, 240, 0.62)",
        "halo_edge": "rgba(96, 132, 220, 0)",
        "thread": "rgba(150, 178, 240, 0.26)",
        "lit": "rgba(255, 240, 200, 0.85)",
    },
    "light": {
        "known": "#21486f",
        "person": "#6b5a8e",
        "rim": "#ffffff",
        "lived": "#8c5a00",
        "memo": "#12606b",
        "to_do": "#97400f",
        "reminder": "#8a3b52",
        "theme": "#8a5a00",
        "halo": "rgba(104, 128, 206, 0.55)",
        "halo_edge": "rgba(130, 150, 220, 0)",
        "thread": "rgba(58, 78, 148, 0.28)",
        "lit": "rgba(120, 70, 0, 0.8)",
    },
}


@lru_cache(maxsize=4)
def skeleton(theme: str) -> str:
    """The figure of a theme ("dark" or "light") without any data, as JSON.

    Traces from below: threads, halos, one of centres for each category. `meta.lit` is the colour of
    what belongs to the chosen card.

    Raises:
        KeyError: there is no such theme.
    """
    import plotly.graph_objects as go  # here: a process that shows no sky does not pay for it

    colours = PALETTES[theme]
    quiet: dict[str, Any] = {"x": [], "y": [], "hoverinfo": "skip", "showlegend": False}
    traces = [
        go.Scatter(name="threads", mode="lines", line={"color": colours["thread"], "width": 1}, **quiet),
        go.Scatter(name="halo", mode="markers", marker=_halo(colours), **quiet),
        *(
            go.Scatter(
                name=category.value,
                mode="markers",
                marker=_centre(category, colours),
                **{**quiet, "hoverinfo": "none"},
            )
            for category in Category
        ),
    ]
    axis = {"visible": False, "range": [-0.02, 1.02], "fixedrange": False}
    layout = go.Layout(
        xaxis=axis,
        yaxis=axis,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        dragmode="pan",
        hovermode="closest",
        hoverdistance=14,
        showlegend=False,
        meta={"lit": colours["lit"]},
    )
    figure = go.Figure(data=traces, layout=layout)
    figure.layout.template = None  # the default one is 7 kB of what is not used
    return json.dumps(figure.to_plotly_json(), separators=(",", ":"))


def _halo(colours: dict[str, str]) -> dict[str, Any]:
    return {
        "size": HALO_SIZE,
        "symbol": "circle",
        # Plotly paints the gradient from its own colour in the centre to the marker's at the edge.
        "color": colours["halo_edge"],
        "gradient": {"type": "radial", "color": colours["halo"]},
        "opacity": 1,
        "line": {"width": 0},
    }


def _centre(category: Category, colours: dict[str, str]) -> dict[str, Any]:
    symbol, size, colour = SHAPES[category]
    rim = 1.8 if category in (Category.PERSON, Category.REMINDER) else 0
    return {
        "symbol": symbol,
        "size": size,
        "color": colours[colour],
        "opacity": 1,
        "line": {"width": rim, "color": colours["rim" if category is Category.PERSON else colour]},
    }
