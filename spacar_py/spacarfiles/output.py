"""Results of a run in SPACAR's numbering: what stands in .sbd, .sbm and .ltv.

Not established, and so by our own choice: the codes in IT (see `numbering.TYPES`); KDEF, RQ, DR0 and EINI, which are
zero; NKDO (prescribed degrees of freedom) and NKDD (zero). In .ltv: DFT tells whether D is there; NNOM counts the
entries of U0, the nominal values of NOMS and NOMF, or of the inputs without those; NRBM counts the degrees of freedom
without stiffness; NYS counts the entries of YREF, the nominal values of REFE and REFX; SIG0 has an entry for each
dynamic degree of freedom, minus the force that would hold it on the nominal motion, zero in the joints.
"""

from __future__ import annotations

import numpy as np

from spacar_py.assembly import series
from spacar_py.dynamics import add_inertia, inertia_forces, loads
from spacar_py.linearize import state_space
from spacar_py.spacarfiles.build import deformations, node_kind, node_name
from spacar_py.spacarfiles.datmodel import DatModel
from spacar_py.spacarfiles.keywords import NODE_SIGNALS, signal_group
from spacar_py.spacarfiles.numbering import Numbering

_INPUTS = {"INPUTS": "stress", "INPUTF": "force", "INE": "motion", "INX": "motion", "INEP": "rate", "INXP": "rate",
           "INEDP": "acceleration", "INXDP": "acceleration"}  # fmt: skip
_OUTPUTS = {"OUTE": "position", "OUTX": "position", "OUTEP": "velocity", "OUTXP": "velocity", "OUTEDP": "acceleration",
            "OUTXDP": "acceleration", "OUTS": "stress", "OUTF": "reaction"}  # fmt: skip


def nodal_loads(system, x: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Applied nodal forces and weight (nx,) of a position, under the loads that now stand in the tables."""
    w = system.work()
    w.X[0] = x
    series(system.k, w.k, 1, np.zeros(system.ne))
    loads(system.k, w.k, float(t))
    applied = w.fx.copy()
    w.X[1:], w.U[1:], w.fx[:] = 0.0, 0.0, 0.0
    inertia_forces(system.k, w.k, 1.0)
    add_inertia(system.k, w.k, -1.0)
    return applied, w.fx.copy()


def sbd_header(dat: DatModel, system, number: Numbering, mode: int) -> dict:
    """Header of a .sbd file."""
    rows = len(number.LE)
    tables = {k: np.zeros((rows, n)) for k, n in (("STIF", 12), ("DAMP", 12), ("EM", 6), ("ESIG", 8), ("RXYZ", 9))}
    length = np.zeros(rows)
    keys = {"ESTIFF": "STIF", "EDAMP": "DAMP", "EM": "EM", "ESIG": "ESIG"}
    for p in dat.properties:
        if p.keyword in keys:
            tables[keys[p.keyword]][p.number - 1, : len(p.values)] = p.values
    for e in dat.elements:
        element = system.model.elements[f"e{e.number}"]
        length[e.number - 1] = element.L0 or 0.0
        if element.axes is not None:
            tables["RXYZ"][e.number - 1] = np.asarray(element.axes).ravel()
    sizes = dict(NX=system.nx, NE=system.ne, NDOF=system.ny, NDDO=system.nq, NKDO=system.ny - system.nq, NKDD=0)
    zeros = dict(RQ=np.zeros((rows, 4)), DR0=np.zeros((rows, 1)), EINI=np.zeros((rows, 8)))
    return {**sizes, "NXP": number.NXP, "NEP": number.NEP, "LNP": number.LNP, "LE": number.LE, "LN": number.LN,
            "IT": number.IT, "KDEF": np.zeros(system.ne, int), "MODE": mode, "RL0": length, **tables,
            **zeros}  # fmt: skip


def sbd_step(result, number: Numbering, k: int = 0, linear=None) -> dict:
    """One step of a .sbd file, taken while the loads of that step stand in the tables."""
    s = result.system
    x, e = number.x, number.e
    applied, weight = nodal_loads(s, result.x[k], result.t[k])
    out = dict(T=result.t[k], X=result.x[k][x], XD=result.xd[k][x], XDD=result.xdd[k][x], E=result.e[k][e],
               ED=result.ed[k][e], EDD=result.E[2][k][e], FX=applied[x], FXT=(applied + result.f[k])[x], FXG=weight[x],
               SIG=result.sigma[k][e])  # fmt: skip
    if linear is not None:
        rates = linear._rates
        out["DX"], out["DE"] = rates["DF"][0][np.ix_(x, number.y)], rates["DFe"][0][np.ix_(e, number.y)]
    return out


def sbm_header(system) -> dict:
    """Header of a .sbm file."""
    return dict(NDOF=system.ny, NDDO=system.nq, NKDO=system.ny - system.nq, NKDD=0, NNOM=0)


def sbm_step(linear, number: Numbering) -> dict:
    """One step of a .sbm file from the linear model of a single state."""
    pick = np.ix_(number.q, number.q)
    return dict(T=linear.t[0], **{m: getattr(linear, m)[pick] for m in ("M0", "C0", "D0", "K0", "N0", "G0")})


class Ports:
    """Inputs, outputs, nominal and reference values of a .dat file by our names."""

    def __init__(self, dat: DatModel, system, number: Numbering):
        self.dat, self.system, self.number = dat, system, number
        groups = {g: sorted((s for s in dat.signals if signal_group(s.keyword) == g), key=lambda s: s.index)
                  for g in ("input", "output", "reference", "nominal")}  # fmt: skip
        self.groups = groups
        self.inputs = [f"{_INPUTS[s.keyword]} {self.label(s)}" for s in groups["input"]]
        self.outputs = [f"{_OUTPUTS[s.keyword]} {self.label(s)}" for s in groups["output"]]
        # without NOMS and NOMF, U0 belongs to the inputs
        self.nominal = groups["nominal"] or [s for s in groups["input"] if s.keyword in ("INPUTS", "INPUTF")]
        self.rigid = np.flatnonzero(~system.flexible)

    def label(self, s) -> str:
        """Our name of the coordinate or deformation of a signal."""
        if s.keyword in NODE_SIGNALS:
            kind = self.dat.node_kinds()[s.number]
            first, _ = self.system.nodes[node_kind(kind), node_name(kind, s.number)]
            return self.system.x_names[first + s.component - 1]
        return f"e{s.number}.{deformations(self.dat.element(s.number).kind)[s.component - 1]}"

    def header(self) -> dict:
        """Header of a .ltv file."""
        n = 2 * self.system.nq
        return dict(NX=n, NU=len(self.inputs), NY=len(self.outputs), NNOM=len(self.nominal), NRBM=len(self.rigid),
                    NYS=len(self.groups["reference"]), DFT=[[1.0]], X0=np.zeros(n))  # fmt: skip

    def step(self, linear) -> dict:
        """One step of a .ltv file from the linear model of a single state."""
        q, n = self.number.q, self.system.nq
        ss = state_space(linear, list(dict.fromkeys(self.inputs)), self.outputs)
        A, B, C, D = ss.A, ss.B, ss.C, ss.D
        pick = np.concatenate([q, n + q])
        columns = [ss.inputs.index(i) for i in self.inputs]
        M, K, Cv = (m[np.ix_(q, q)] for m in (linear.M0, linear.stiffness, linear.velocity))
        sigma = -np.asarray(linear.residual).copy()
        sigma[self.rigid] = 0.0
        out = dict(T=linear.t[0], A=A[np.ix_(pick, pick)], B=B[np.ix_(pick, columns)], C=C[:, pick], D=D[:, columns],
                   M0=M, C0B=Cv, K0B=K, U0=self._nominal(linear), Y0=self._values(linear, "output"),
                   SIG0=sigma[q])  # fmt: skip
        if self.groups["reference"]:
            out["YREF"] = self._values(linear, "reference")
        return out

    def _nominal(self, linear) -> np.ndarray:
        """Drive of a degree of freedom or prescribed motion, stress of a deformation, force of a support."""
        out = []
        for s in self.nominal:
            name = self.label(s)
            if name in self.system.y_index:
                out.append(linear.rho[0, self.system.y_index[name]])
            elif name in self.system.e_names:
                out.append(linear.sigma[self.system.e_names.index(name)])
            else:
                out.append(linear.support[self.system.x_names.index(name)])
        return np.array(out)

    def _values(self, linear, group) -> np.ndarray:
        out = []
        for s in self.groups[group]:
            name, order = self.label(s), s.keyword.endswith("P") + s.keyword.endswith("DP")
            if s.keyword == "OUTS":
                out.append(linear.sigma[self.system.e_names.index(name)])
            elif s.keyword == "OUTF":
                out.append(linear.support[self.system.x_names.index(name)])
            elif name in self.system.e_names:
                out.append(linear.E[0, order, self.system.e_names.index(name)])
            else:
                out.append(linear.X[0, order, self.system.x_names.index(name)])
        return np.array(out)


def stacked(steps: list[dict]) -> dict:
    """The steps of a file as arrays with the steps in front."""
    return {k: np.array([s[k] for s in steps]) for k in steps[0]} if steps else {}
