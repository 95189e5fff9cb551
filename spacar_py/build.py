"""From elements to arrays: collects directions, chords, basics, terms and inertia, each stored once."""

from __future__ import annotations

import numpy as np

from .rotations import matrix
from .tables import DOT, DOT_CHORD, DOT_UNIT, GRADIENT, LENGTH, LINEAR, NORM


class Build:
    """What `Element.describe` talks to; one object serves all elements of a model, one after the other."""

    def __init__(self, offsets: dict, planar: bool):
        self.offsets, self.planar = offsets, planar  # node -> first coordinate
        self.dirs, self.dir_key = [], {}
        self.chs, self.ch_key, self.ch_d = [], {}, {}
        self.b, self.cols = [], []
        self.el = {k: [0] for k in ("b", "e", "x", "D", "S", "H", "lin", "qd", "an")}
        self.xi, self.lin, self.qd, self.an = [], [], [], []
        self.S, self.Sd = [], []
        self.z, self.z_key, self.C = [], {}, {}
        self.nodes = {}

    # one element ------------------------------------------------------------------------------------------------

    def add(self, element, damping=None, stiffness=None) -> None:
        """Take in one element; `stiffness` replaces its own."""
        self.nodes, self.local, self.b0 = element.nodes, {}, len(self.b)
        element.describe(self)
        ne = len(element.deformations)
        if ne == 0:
            return
        nx = len(self.local)
        S = element.stiffness() if stiffness is None else stiffness
        self.S.append(np.asarray(S, float).ravel())
        self.Sd.append(np.zeros(ne * ne) if damping is None else np.asarray(damping, float).ravel())
        self.xi.extend(self.local)
        sizes = (len(self.b) - self.b0, ne, nx, ne * nx, ne * ne, nx * nx)
        for key, n in zip(("b", "e", "x", "D", "S", "H"), sizes, strict=True):
            self.el[key].append(self.el[key][-1] + n)
        for key, table in (("lin", self.lin), ("qd", self.qd), ("an", self.an)):
            self.el[key].append(len(table))

    def _columns(self, *groups) -> list[int]:
        """Local columns of coordinate groups (first, count)."""
        cols = []
        for first, n in groups:
            for x in range(first, first + n):
                cols.append(self.local.setdefault(x, len(self.local)))
        return cols

    def _basic(self, kind, i, j, c, offset, groups, k=-1, l=-1, s=0.0) -> int:
        self.b.append((kind, i, j, k, l, s, c, offset))
        self.cols.append(self._columns(*groups))
        return len(self.b) - 1 - self.b0

    def _frame(self, d):
        return self.dirs[d][0], self.dirs[d][1]

    def _chord(self, p="xp", q="xq"):
        a, b = self.offsets[self.nodes[p]], self.offsets[self.nodes[q]]
        n = self.nodes[p].size
        if (a, b) not in self.ch_key:
            self.ch_key[a, b] = len(self.chs)
            self.chs.append((a, b, n))
        return self.ch_key[a, b], [(a, n), (b, n)]

    # the vocabulary of elements -----------------------------------------------------------------------------------

    def direction(self, slot: str, axis) -> int:
        """The vector `axis`, given in space at the start, carried by the frame in `slot`."""
        node = self.nodes[slot]
        axis = np.asarray(axis, float)
        if node.size == 4:
            axis = matrix(node.start).T @ axis
        else:
            c, s = np.cos(node.start[0]), np.sin(node.start[0])
            axis = np.array([c * axis[0] + s * axis[1], -s * axis[0] + c * axis[1], 0.0])
        axis = axis + 0.0  # one zero
        key = (self.offsets[node], *axis.tolist())
        if key not in self.dir_key:
            self.dir_key[key] = len(self.dirs)
            self.dirs.append((self.offsets[node], node.size, axis))
        return self.dir_key[key]

    def length(self, p="xp", q="xq", factor=1.0, offset=0.0) -> int:
        """factor |xq - xp| + offset."""
        ch, groups = self._chord(p, q)
        return self._basic(LENGTH, ch, -1, factor, offset, groups)

    def dot(self, u: int, v: int, factor=1.0, plus=None, minus=None) -> int:
        """factor (u.v + u'.v') with plus=(u', v') or the difference with minus; u' on u's frame, v' on v's."""
        pair, sign = (plus, 1.0) if plus else (minus, -1.0) if minus else ((-1, -1), 0.0)
        return self._basic(DOT, u, v, factor, 0.0, [self._frame(u), self._frame(v)], *pair, sign)

    def dot_unit(self, u: int, factor=1.0, p="xp", q="xq") -> int:
        """factor u.el."""
        ch, groups = self._chord(p, q)
        return self._basic(DOT_UNIT, u, ch, factor, 0.0, [self._frame(u), *groups])

    def dot_chord(self, u: int, factor=1.0, offset=0.0, p="xp", q="xq") -> int:
        """factor u.(xq - xp) + offset."""
        ch, groups = self._chord(p, q)
        return self._basic(DOT_CHORD, u, ch, factor, offset, [self._frame(u), *groups])

    def forward(self, u: int, p="xp", q="xq") -> None:
        """The chord points along u: tells the wanted root of conditions on the unit chord from its opposite."""
        self.ch_d.setdefault(self._chord(p, q)[0], u)

    def coordinate(self, slot: str, minus: str | None = None, component=0, factor=1.0, offset=0.0) -> int:
        """factor times one coordinate of a node, or the difference of two nodes' coordinates, plus offset."""
        j = self.offsets[self.nodes[slot]] + component
        groups, i = [(j, 1)], -1
        if minus is None:
            offset = offset - factor * float(self.nodes[slot].start[component])
        else:
            i = self.offsets[self.nodes[minus]] + component
            groups.append((i, 1))
            if slot.startswith("r"):
                offset = offset - factor * (self.nodes[slot].start[0] - self.nodes[minus].start[0])
        return self._basic(LINEAR, i, j, factor, offset, groups)

    def norm(self, slot: str) -> int:
        """lambda.lambda - 1."""
        o = self.offsets[self.nodes[slot]]
        return self._basic(NORM, o, -1, 1.0, -1.0, [(o, 4)])

    def linear(self, row: int, b: int, c=1.0) -> None:
        """e[row] += c b."""
        self.lin.append((row, b, c))

    def quadratic(self, row: int, i: int, j: int, c: float) -> None:
        """e[row] += c b_i b_j."""
        self.qd.append((row, i, j, c))

    def angle(self, row: int, s: int, c: int) -> None:
        """e[row] = atan2(b_s, b_c), counted on past pi."""
        self.an.append((row, s, c))

    def mass(self, vectors, C) -> None:
        """T += 1/2 sum C_ij zd_i.zd_j over slots (points, scalars) and directions."""
        ids = []
        for v in vectors:
            if isinstance(v, str):
                node = self.nodes[v]
                key = (2 if node.size == 1 else 0, self.offsets[node], node.size)
            else:
                key = (1, v, 3)
            if key not in self.z_key:
                self.z_key[key] = len(self.z)
                self.z.append(key)
            ids.append(self.z_key[key])
        for i, a in enumerate(ids):
            for j, b in enumerate(ids):
                if C[i][j] != 0:
                    self.C[a, b] = self.C.get((a, b), 0.0) + float(C[i][j])

    # the result -----------------------------------------------------------------------------------------------------

    def arrays(self) -> dict:
        """The arrays of the tables that depend on geometry and inertia."""

        def column(rows, k, dtype):
            return np.array([r[k] for r in rows], dtype)

        nb = len(self.b)
        cols = np.zeros((nb, GRADIENT), np.int64)
        for n, c in enumerate(self.cols):
            cols[n, : len(c)] = c
        ptr, idx, val = self._mass_rows()
        i, f = np.int64, np.float64
        return dict(
            dir_x=column(self.dirs, 0, i), dir_n=column(self.dirs, 1, i),
            dir_a=np.array([d[2] for d in self.dirs], f).reshape(-1, 3),
            ch_p=column(self.chs, 0, i), ch_q=column(self.chs, 1, i), ch_n=column(self.chs, 2, i),
            ch_d=np.array([self.ch_d.get(k, -1) for k in range(len(self.chs))], i),
            b_kind=column(self.b, 0, i), b_i=column(self.b, 1, i), b_j=column(self.b, 2, i),
            b_k=column(self.b, 3, i), b_l=column(self.b, 4, i), b_s=column(self.b, 5, f),
            b_c=column(self.b, 6, f), b_0=column(self.b, 7, f),
            b_n=np.array([len(c) for c in self.cols], i), b_col=cols,
            **{f"el_{k}": np.array(self.el[k], i) for k in ("b", "e", "x", "D", "S", "H")},
            el_xi=np.array(self.xi, i), **{k: np.array(self.el[k], i) for k in ("lin", "qd", "an")},
            lin_e=column(self.lin, 0, i), lin_b=column(self.lin, 1, i), lin_c=column(self.lin, 2, f),
            qd_e=column(self.qd, 0, i), qd_i=column(self.qd, 1, i), qd_j=column(self.qd, 2, i),
            qd_c=column(self.qd, 3, f),
            an_e=column(self.an, 0, i), an_s=column(self.an, 1, i), an_c=column(self.an, 2, i),
            e_el=np.repeat(np.arange(len(self.el["e"]) - 1), np.diff(self.el["e"])).astype(i),
            S=np.concatenate(self.S or [np.zeros(0)]), Sd=np.concatenate(self.Sd or [np.zeros(0)]),
            z_kind=column(self.z, 0, i), z_i=column(self.z, 1, i), z_n=column(self.z, 2, i),
            c_ptr=ptr, c_idx=idx, c_val=val,
        )  # fmt: skip

    def _mass_rows(self):
        rows = [[] for _ in self.z]
        for (a, b), v in sorted(self.C.items()):
            rows[a].append((b, v))
        ptr = np.cumsum([0] + [len(r) for r in rows]).astype(np.int64)
        flat = [p for r in rows for p in r]
        return ptr, np.array([p[0] for p in flat], np.int64), np.array([p[1] for p in flat], np.float64)
