"""Nodes and loads as the model keeps them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COMPONENTS = {
    ("point", False): ("x", "y", "z"),
    ("point", True): ("x", "y"),
    ("frame", False): ("lambda0", "lambda1", "lambda2", "lambda3"),
    ("frame", True): ("phi",),
    ("warp", False): ("warp",),
}


@dataclass(frozen=True, eq=False)
class Node:
    """A point, a frame (orientation) or a warping coordinate, with its coordinates at the start."""

    name: str
    kind: str
    start: tuple[float, ...]
    planar: bool = False

    @property
    def size(self) -> int:
        return len(self.start)

    @property
    def components(self) -> tuple[str, ...]:
        return COMPONENTS[self.kind, self.planar]


@dataclass
class Load:
    """A force or moment on a node, constant or with a signal."""

    node: Node
    kind: str  # force | moment | follower_force | follower_moment
    vector: np.ndarray
    signal: object = None
    frame: Node | None = None
