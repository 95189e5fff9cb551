"""The part of the Model that says what is fixed, released, a degree of freedom or prescribed."""

from __future__ import annotations

import numpy as np

from . import checks
from .errors import InputError, nearest
from .signals import as_signal


class StatusMethods:
    """Status of coordinates and deformations; `Model` inherits from it.

    A node's coordinates are x, y, z, lambda0 to lambda3 ("rotation" for all four), in the plane x, y, phi, and warp;
    they follow from the rest unless said otherwise. An element's deformations are rigid unless said otherwise.
    """

    def fix(self, name: str, *components: str) -> None:
        """Hold a node (all of it), some of its coordinates, or deformations of an element."""
        self._known("fix", name)
        nodes = self._nodes_of(name)
        if not components and not nodes:
            raise InputError(f"fix: '{name}' is an element, its deformations are rigid already; name a node to hold")
        self._set("fix", name, components or tuple(c for n in nodes for c in n.components), "fixed")

    def dof(self, name: str, *components: str) -> None:
        """Make coordinates of a node or deformations of an element degrees of freedom.

        Of the four Euler parameters of "rotation" the largest at the start follows from the others. It must not pass
        zero, which is half a turn from a frame drawn without rotation. What turns farther is carried by hinges.
        """
        self._set("dof", name, components, "dof")

    def release(self, name: str, *components: str) -> None:
        """Let deformations of an element (all by default) follow from the rest; or free coordinates held before."""
        self._set("release", name, components, "released")

    def flexible(self, name: str, *components: str) -> None:
        """Let the program choose which of these deformations are degrees of freedom."""
        self._set("flexible", name, components, "free")

    def prescribe(self, name: str, component: str, motion) -> None:
        """Drive a coordinate or deformation as a function of time: a number, a Signal, or t -> (v, vd, vdd)."""
        self._set("prescribe", name, (component,), "prescribed", as_signal(motion))

    def _set(self, verb, name, components, status, motion=None) -> None:
        targets = self._targets(verb, name, components)
        for kind, owner, c in targets:
            if kind == "x" and status == "free":
                raise InputError(f"flexible: '{owner.name}.{c}' is a coordinate; use dof or release for coordinates")
        turns = [(n, c) for kind, n, c in targets if kind == "x" and n.size == 4]
        if status == "prescribed" and len(turns) > 1:
            raise InputError(f"prescribe: '{name}.{components[0]}' is four numbers; prescribe them one by one")
        self._touch()
        for kind, owner, c in targets:
            if kind == "e":
                self.e_status[owner, c] = (status, motion)
            else:
                s = "dependent" if status == "released" else status
                whole = s == "dof" and all((owner, k) in turns for k in owner.components)
                if whole and c == owner.components[int(np.argmax(np.abs(owner.start)))]:
                    s = "dependent"
                self.x_status[owner, c] = (s, motion)

    def _known(self, verb, name) -> None:
        names = {**self.points, **self.frames, **self.warps, **self.elements, **self.chains}
        checks.known(verb, "node or element", name, names)

    def _nodes_of(self, name) -> list:
        return [d[name] for d in (self.points, self.frames, self.warps) if name in d]

    def _targets(self, verb, name, components) -> list[tuple]:
        """("x", node, component) and ("e", element, deformation) meant by a name and its components."""
        self._known(verb, name)
        nodes = self._nodes_of(name)
        parts = self.chains.get(name, [name] if name in self.elements else [])
        if not components and parts and nodes:
            raise InputError(f"{verb}: '{name}' is a node and an element; name its coordinates or deformations as well")
        if not components:
            out = [("x", n, c) for n in nodes for c in n.components]
            return out + [("e", p, d) for p in parts for d in self.elements[p].deformations]
        return [t for c in components for t in self._component(verb, name, nodes, parts, c)]

    def _component(self, verb, name, nodes, parts, c) -> list[tuple]:
        if not isinstance(c, str):
            raise InputError(f"{verb}: '{name}': coordinates and deformations are named one by one, got {c!r}")
        found = [("x", n, c) for n in nodes if c in n.components]
        if c == "rotation":
            found += [("x", n, k) for n in nodes if n.kind == "frame" for k in n.components]
        for p in parts:
            el = self.elements[p]
            if c in el.deformations or c in el.groups or c == "all":
                found += [("e", p, d) for d in self._expand(el.label, el, c)]
        if not found:
            options = [k for n in nodes for k in n.components] + ["rotation"] * any(n.kind == "frame" for n in nodes)
            for p in parts[:1]:
                options += [*self.elements[p].deformations, *self.elements[p].groups]
            raise InputError(f"{verb}: '{name}' has no '{c}'{nearest(c, options)}; known: {', '.join(options)}")
        if len({kind for kind, _, _ in found}) > 1:
            raise InputError(f"{verb}: '{name}.{c}' is a coordinate and a deformation; rename one of the two")
        return found
