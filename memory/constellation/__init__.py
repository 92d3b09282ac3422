"""The constellation: cards and links as a sky that stays the same from day to day.

`placing` gives each card its place, `columns` what a browser is sent of them, and
`skeleton` the empty figure that they are drawn into: all pure; `sky` brings them to storage.
"""

from memory.constellation.columns import HANDLE, columns, handles, label, labels, picked
from memory.constellation.placing import place, spacing
from memory.constellation.skeleton import skeleton
from memory.constellation.sky import places_of, settle

__all__ = [
    "HANDLE",
    "columns",
    "handles",
    "label",
    "labels",
    "picked",
    "place",
    "places_of",
    "settle",
    "skeleton",
    "spacing",
]
