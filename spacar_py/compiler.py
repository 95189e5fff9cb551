"""Compilation of a model to a frozen System: numbering, status, block structure, tables."""

from __future__ import annotations

import numpy as np

from . import structure
from .assembly import series
from .build import Build
from .elements.euler import EulerCondition
from .errors import InputError
from .largestructure import LARGE, choose_sparse, structural_rank
from .signals import PythonSignal, Signal, constant
from .system import System
from .tables import FIXED_X, FOLLOWER_FORCE, FOLLOWER_MOMENT, FORCE, GIVEN_X, MOMENT, pack_tables, work_space

LOADS = {"force": FORCE, "moment": MOMENT, "follower_force": FOLLOWER_FORCE, "follower_moment": FOLLOWER_MOMENT}
GIVEN = ("fixed", "dof", "prescribed")


class _Compiler:
    def __init__(self, model):
        self.model = model
        self.offsets, self.nodes, self.x_names = {}, {}, []
        start = []
        for node in model.all_nodes():
            self.offsets[node] = len(self.x_names)
            self.nodes[node.kind, node.name] = (len(self.x_names), node.size)
            self.x_names += [f"{node.name}.{c}" for c in node.components]
            start += node.start
        self.x0 = np.array(start, float)
        self.x_status = ["dependent"] * len(self.x0)
        self.x_motion = {}
        for (node, c), (status, motion) in model.x_status.items():
            i = self.offsets[node] + node.components.index(c)
            self.x_status[i] = status
            self.x_motion[i] = motion
        self._drop_unused()
        self.elements = dict(model.elements)
        for name, node in model.frames.items():
            o = self.offsets[node]
            if node.size == 4 and any(s != "fixed" for s in self.x_status[o : o + 4]):
                self.elements["frame " + name] = EulerCondition(name, {"rp": node})
        self.springs, self.dampers, self.prestresses = map(_by_owner, (model.springs, model.dampers, model.prestresses))
        self.e_names, self.e_status, self.e_motion, self.e_first = [], [], {}, {}
        for key, el in self.elements.items():
            self.e_first[key] = len(self.e_names)
            for d in el.deformations:
                status, motion = model.e_status.get((key, d), ("fixed", None))
                self.e_motion[len(self.e_names)] = motion
                self.e_names.append(f"{el.name}.{d}")
                self.e_status.append(status)

    def _drop_unused(self):
        """Refuse nodes that nothing holds or joins, by name; fix frames that only came along with a point."""
        used = {n for el in self.model.elements.values() for n in el.nodes.values()}
        used |= {n for b in self.model.bodies for n in b.nodes.values()}
        used |= {load.node for load in self.model.loads} | {load.frame for load in self.model.loads}
        for node in self.model.all_nodes():
            o = self.offsets[node]
            status = self.x_status[o : o + node.size]
            if node in used:
                continue
            if node.kind == "frame" and node.name in self.model.points:  # came along with node(), nobody uses it
                self.x_status[o : o + node.size] = [s if s == "prescribed" else "fixed" for s in status]
            elif "dependent" in status:
                raise InputError(
                    f"{node.kind} '{node.name}' is not connected to anything and not held; "
                    "connect it with an element, fix it, or leave it out"
                )

    def matrices(self, el, key):
        """Stiffness, damping and prestress of one element with its springs and dampers."""
        model = self.model
        S = np.array(el.stiffness(), float)
        n = len(el.deformations)
        damping = model.material_damping.get(key, 0.0) * S
        stress = np.zeros(n)
        index = {d: i for i, d in enumerate(el.deformations)}
        for d, k, free in self.springs.get(key, ()):
            S[index[d], index[d]] += k
            stress[index[d]] -= k * free
        for d, c in self.dampers.get(key, ()):
            damping[index[d], index[d]] += c
        for d, v in self.prestresses.get(key, ()):
            stress[index[d]] += v
        self._check_stiffness(el, key, S)
        return S, damping, stress

    def _check_stiffness(self, el, key, S):
        """Refuse a flexible deformation without stiffness: it is a mistake in an element that has a section."""
        for i, d in enumerate(el.deformations):
            if self.e_status[self.e_first[key] + i] not in ("dof", "free") or S[i, i] > 0:
                continue
            if el.elastic and el.section is None:
                el.need_section()
            if el.section is not None:
                raise InputError(
                    f"{el.label}: {d} is flexible but its stiffness is {S[i, i]:g}; "
                    "give the section a positive value, put a spring on it, or keep it rigid"
                )

    def build(self):
        b = Build(self.offsets, self.model.planar)
        sigma0 = []
        for key, el in self.elements.items():
            S, damping, stress = self.matrices(el, key)
            b.add(el, damping, S)
            sigma0.append(stress)
        for body in self.model.bodies:
            b.add(body)
        b.nodes = {}
        loads = self._loads(b)
        arrays = b.arrays()
        arrays["sigma0"] = np.concatenate(sigma0) if sigma0 else np.zeros(0)
        arrays.update(loads)
        arrays["gravity"] = self.model.gravity.copy()
        return arrays

    def _loads(self, b):
        self.signals = []
        rows = []
        for load in self.model.loads:
            o, d, v = self.offsets[load.node], -1, load.vector
            if load.kind == "follower_force":
                b.nodes = {"rp": load.frame}
                d = b.direction("rp", v)
            sig = -1 if load.signal is None else self._signal(load.signal)
            rows.append((LOADS[load.kind], o, load.node.size, d, v, sig))
        acts = []
        for owner, d, signal in self.model.actuators:
            names = self.elements[owner].deformations
            acts.append((self.e_first[owner] + names.index(d), self._signal(signal)))
        i = np.int64
        return dict(
            ld_kind=np.array([r[0] for r in rows], i), ld_x=np.array([r[1] for r in rows], i),
            ld_n=np.array([r[2] for r in rows], i), ld_dir=np.array([r[3] for r in rows], i),
            ld_v=np.array([r[4] for r in rows], float).reshape(-1, 3), ld_sig=np.array([r[5] for r in rows], i),
            act_e=np.array([a[0] for a in acts], i), act_sig=np.array([a[1] for a in acts], i),
        )  # fmt: skip

    def _signal(self, s) -> int:
        self.signals.append(s)
        return len(self.signals) - 1

    def signal_table(self):
        ptr, times, coef, python = [0], [], [], []
        for s in self.signals:
            if isinstance(s, PythonSignal):
                python.append((len(times), s))
                s = constant(0.0)
            times += list(s.start)
            coef += list(s.coef)
            ptr.append(len(times))
        kinks = [t for s in self.signals if isinstance(s, Signal) for t in s.kinks]
        table = dict(
            sg_ptr=np.array(ptr, np.int64), sg_t=np.array(times, float), sg_c=np.array(coef, float).reshape(-1, 12)
        )
        return table, python, np.unique(np.array(kinks, float))


def _by_owner(laws) -> dict:
    """Springs, dampers or prestresses of each element."""
    out = {}
    for owner, *law in laws:
        out.setdefault(owner, []).append(law)
    return out


def _provisional(c: _Compiler):
    """Tables good enough to evaluate D at the start, the work space, and D itself, free of units."""
    arrays = c.build()
    nx, ne = len(c.x0), len(c.e_names)
    i = np.int64
    dummy = dict(
        e_y=-np.ones(ne, i), e_given=np.ones(ne, i), x_y=-np.ones(nx, i), x_pos=np.full(nx, GIVEN_X, i),
        blk=np.zeros(1, i), blk_lu=np.zeros(1, i), eq_e=np.zeros(0, i), eq_x=np.zeros(0, i), r_sig=np.zeros(0, i),
        sg_ptr=np.zeros(1, i), sg_t=np.zeros(0), sg_c=np.zeros((0, 12)), n=np.array([nx, ne, 0, 0], i),
    )  # fmt: skip
    tables = pack_tables({**arrays, **dummy})
    w = work_space(tables)
    w.X[0] = c.x0
    if ne:
        series(tables.k, w.k, 1, np.zeros(ne))
    c.pattern = structure.pattern(tables)
    lengths = [el.L0 for el in c.elements.values() if el.L0]
    L = float(np.mean(lengths)) if lengths else 1.0
    unit = {"point": L, "frame": 1.0, "warp": 1.0 / L}
    scale = np.concatenate([np.full(n.size, unit[n.kind]) for n in c.model.all_nodes()])
    return tables, w, structure.dimensionless(structure.sparse_D(tables, w.D[0]), scale)


def _given(c: _Compiler) -> tuple[np.ndarray, np.ndarray]:
    """Rows of D that are given and columns that are to be found."""
    rows = np.array([i for i, s in enumerate(c.e_status) if s in GIVEN], int)
    cols = np.array([i for i, s in enumerate(c.x_status) if s == "dependent"], int)
    return rows, cols


def _resolve(c: _Compiler, tables, D) -> None:
    """Turn "free" deformations into degrees of freedom or released ones."""
    free = np.array([i for i, s in enumerate(c.e_status) if s == "free"], int)
    if len(free) == 0:
        return
    given, cols = _given(c)
    if len(given) + len(free) == len(cols) and structure.blocks(c.pattern, np.union1d(given, free), cols) is not None:
        chosen = free  # a tree: nothing to choose
    elif len(cols) > LARGE:
        chosen = choose_sparse(tables, D, given, free, cols)
        if chosen is None:
            chosen = free
    else:
        chosen = structure.choose(D[:, cols].toarray(), given, free)
    chosen = set(chosen.tolist())
    for i in free:
        c.e_status[i] = "dof" if int(i) in chosen else "released"


def mobility_of(model) -> structure.Mobility:
    """Mobility report of a model, also of one that does not compile."""
    c = _Compiler(model)
    tables, _, D = _provisional(c)
    _resolve(c, tables, D)
    return _mobility(c, D)


def _mobility(c, D) -> structure.Mobility:
    rows, cols = _given(c)
    driven = np.array([i for i, s in enumerate(c.x_status) if s in ("dof", "prescribed")], int)
    dof = [n for n, s in zip(c.x_names + c.e_names, c.x_status + c.e_status, strict=True) if s == "dof"]
    if len(cols) > LARGE:  # no singular values, so no names of what is redundant or free
        rank = structural_rank(c.pattern, rows, cols)
        none = np.zeros(0)
        return structure.Mobility(len(rows), len(cols), rank, np.nan if rank == len(rows) else np.inf, none, dof=dof)
    return structure.mobility(D.toarray(), rows, cols, driven, c.e_names, c.x_names, dof)


def _refuse(c, D) -> None:
    """Say which conditions are too many or which motions are free."""
    report = _mobility(c, D)
    count = f"{report.conditions} conditions on {report.coordinates} coordinates"
    if report.redundant:
        raise InputError(
            f"model is overconstrained: {count}, rank {report.rank}; dependent: {', '.join(report.redundant[0])}; "
            f"release one of them{_more(report.redundant)}"
        )
    if report.free_motions:
        raise InputError(
            f"model is underconstrained: {count}; nothing determines the motion of "
            f"{', '.join(report.free_motions[0])}; "
            f"fix one, or make it a degree of freedom or prescribed{_more(report.free_motions)}"
        )
    if np.isnan(report.condition_number) or np.isinf(report.condition_number):
        raise InputError(
            f"model is over- or underconstrained, or too close to a singular position: {count}, structural rank "
            f"{report.rank}; it is too large to name the conditions: look at the same model with fewer elements"
        )
    raise InputError(
        f"model is too close to a singular position: condition number {report.condition_number:.1e}; "
        "move its points, or choose other degrees of freedom"
    )


def _more(found) -> str:
    return f" ({len(found) - 1} more of this kind: see model.mobility())" if len(found) > 1 else ""


def compile_model(model) -> System:
    """The System of a model, or one error that says what is wrong with it."""
    if not model.elements and not model.bodies:
        raise InputError(f"model '{model.name}': has no elements and no bodies; add some before it is compiled")
    c = _Compiler(model)
    tables, w, D = _provisional(c)
    _resolve(c, tables, D)
    rows, cols = _given(c)
    blocks = structure.blocks(c.pattern, rows, cols) if len(rows) == len(cols) else None
    if blocks is None or not structure.regular(D, blocks):
        _refuse(c, D)
    q = [("x", i) for i, s in enumerate(c.x_status) if s == "dof"]
    q += [("e", i) for i, s in enumerate(c.e_status) if s == "dof"]
    r = [("x", i) for i, s in enumerate(c.x_status) if s == "prescribed"]
    r += [("e", i) for i, s in enumerate(c.e_status) if s == "prescribed"]
    motions = [(c.x_motion if kind == "x" else c.e_motion)[i] for kind, i in r]
    r_sig = np.array([c._signal(m) for m in motions], np.int64)
    table, python, kinks = c.signal_table()
    index = _index(c, blocks, q + r)
    sizes = np.array([len(c.x0), len(c.e_names), len(q), len(q) + len(r)], np.int64)
    tables = pack_tables({**vars(tables), **index, **table, "r_sig": r_sig, "n": sizes})
    y0 = np.array([c.x0[i] if kind == "x" else w.e[0, i] for kind, i in q + r])
    names = [(c.x_names if kind == "x" else c.e_names)[i] for kind, i in q + r]
    return System(
        model=model, tables=tables, x_names=c.x_names, e_names=c.e_names, x_status=c.x_status, e_status=c.e_status,
        dof=names[: len(q)], prescribed=names[len(q) :], flexible=_flexible(c, tables, q), x0=c.x0, y0=y0,
        nodes=c.nodes, python_signals=python, kinks=kinks,
        elements={k: (c.e_first[k], el.deformations) for k, el in c.elements.items()},
    )  # fmt: skip


def _index(c, blocks, y) -> dict:
    i = np.int64
    eq_e = np.array([e for rows, _ in blocks for e in rows], i)
    eq_x = np.array([x for _, cols in blocks for x in cols], i)
    sizes = np.array([len(rows) for rows, _ in blocks], i)
    x_pos = np.array([FIXED_X if s == "fixed" else GIVEN_X for s in c.x_status], i)
    x_pos[eq_x] = np.arange(len(eq_x))
    e_y, x_y = -np.ones(len(c.e_names), i), -np.ones(len(c.x0), i)
    for n, (kind, k) in enumerate(y):
        (x_y if kind == "x" else e_y)[k] = n
    return dict(
        e_y=e_y, x_y=x_y, x_pos=x_pos, eq_e=eq_e, eq_x=eq_x,
        e_given=np.array([int(s != "released") for s in c.e_status], i),
        blk=np.concatenate([[0], np.cumsum(sizes)]).astype(i),
        blk_lu=np.concatenate([[0], np.cumsum(sizes**2)]).astype(i),
    )  # fmt: skip


def _flexible(c, tables, q) -> np.ndarray:
    """Degrees of freedom that are deformations with stiffness."""
    out = np.zeros(len(q), bool)
    for n, (kind, i) in enumerate(q):
        if kind == "e":
            el = tables.e_el[i]
            m = int(tables.el_e[el + 1] - tables.el_e[el])
            k = int(i - tables.el_e[el])
            out[n] = tables.S[tables.el_S[el] + k * m + k] > 0
    return out
