"""The frozen arrays that every kernel reads, and the work space that every kernel writes.

A model is reduced to a few primitives, so that the compiled code knows no kinds of elements:

- directions  u = R(lambda) a  (spatial) or R(phi) a (planar), a fixed in the frame;
- chords      l = x_q - x_p,  r = |l|,  el = l / r;
- basics      b = c * (r | u.v + s u'.v' | u.el | u.l | x_j - x_i | lambda.lambda) + b_0;
- deformations e = sum of linear and quadratic terms of basics, or the angle atan2(b_s, b_c);
- inertia     T = 1/2 sum C_ij zd_i . zd_j over vectors z that are points or directions.

All of it is at most quadratic in the coordinates but for r, el and the angle, which is what makes exact derivatives of
any order cheap: the kernels carry Taylor series in time, X[k] = (d/dt)^k x / k!.
"""

from __future__ import annotations

from types import SimpleNamespace

import numba
import numpy as np
from numba.experimental import structref

from ._jit import kernel
from ._outline import ADDRESSES, ready

LENGTH, DOT, DOT_UNIT, DOT_CHORD, LINEAR, NORM = range(6)
FORCE, MOMENT, FOLLOWER_FORCE, FOLLOWER_MOMENT = range(4)
FIXED_X, GIVEN_X = -2, -1
GRADIENT = 10  # most coordinates that one basic can depend on

# name: type (i integer, f float, n the work space's own number type) and number of dimensions
TABLES = {
    "dir_x": "i1",  # first coordinate of the frame
    "dir_n": "i1",  # 4 Euler parameters or 1 planar angle
    "dir_a": "f2",  # (n, 3) components in the frame
    "ch_p": "i1",
    "ch_q": "i1",
    "ch_d": "i1",  # direction along which the chord points in any valid state, or -1
    "ch_n": "i1",  # 3 spatial, 2 planar
    "b_kind": "i1",
    "b_i": "i1",
    "b_j": "i1",
    "b_k": "i1",  # second pair of a dot product, -1 for none, and its sign
    "b_l": "i1",
    "b_s": "f1",
    "b_c": "f1",
    "b_0": "f1",
    "b_n": "i1",
    "b_col": "i2",  # (n, GRADIENT) local column of each entry of the gradient
    "el_b": "i1",  # ranges per element: basics, deformations, coordinates, D, S
    "el_e": "i1",
    "el_x": "i1",
    "el_D": "i1",
    "el_S": "i1",
    "el_H": "i1",
    "el_xi": "i1",  # coordinate of each local column
    "lin": "i1",  # ranges per element, then row, basic, coefficient
    "lin_e": "i1",
    "lin_b": "i1",
    "lin_c": "f1",
    "qd": "i1",
    "qd_e": "i1",
    "qd_i": "i1",
    "qd_j": "i1",
    "qd_c": "f1",
    "an": "i1",
    "an_e": "i1",
    "an_s": "i1",
    "an_c": "i1",
    "e_el": "i1",  # element of each deformation
    "e_y": "i1",  # column of y = (q, r), or -1
    "e_given": "i1",  # 1 where e is fixed, a degree of freedom or prescribed
    "x_y": "i1",
    "x_pos": "i1",  # place among the dependent coordinates, or GIVEN_X, FIXED_X
    "blk": "i1",  # block triangular form: ranges, then rows and coordinates in order
    "blk_lu": "i1",
    "eq_e": "i1",
    "eq_x": "i1",
    "S": "f1",  # stiffness and damping, element by element, row by row
    "Sd": "f1",
    "sigma0": "f1",  # prestress
    "z_kind": "i1",  # 0 point, 1 direction, 2 scalar without weight
    "z_i": "i1",
    "z_n": "i1",
    "c_ptr": "i1",
    "c_idx": "i1",
    "c_val": "f1",
    "gravity": "f1",
    "ld_kind": "i1",
    "ld_x": "i1",
    "ld_n": "i1",
    "ld_dir": "i1",
    "ld_v": "f2",
    "ld_sig": "i1",
    "act_e": "i1",
    "act_sig": "i1",
    "r_sig": "i1",
    "sg_ptr": "i1",  # signals: ranges of segments, start times, coefficients
    "sg_t": "f1",
    "sg_c": "f2",
    "n": "i1",  # sizes: nx, ne, nq, ny
}

WORK = {
    "X": "n2",
    "U": "n3",
    "G": "n4",
    "L": "n3",
    "R": "n2",
    "E": "n3",
    "b": "n2",
    "bg": "n3",
    "e": "n2",
    "D": "n2",
    "lu": "n1",
    "piv": "i1",
    "one": "n2",  # (ne, 1) right-hand side, (nx, 1) solution of single solves
    "sol": "n2",
    "rhs": "n2",  # (ne, ny)
    "DF": "n2",
    "DFd": "n2",
    "DFdd": "n2",
    "P": "n2",  # (nx, ny) nodal rows before they are projected
    "V": "n2",
    "V1": "n2",
    "V2": "n2",
    "CV": "n2",
    "zdd": "n2",
    "w": "n2",
    "fx": "n1",  # nodal forces
    "sigma": "n1",
    "y": "n2",  # (3, ny) y, yd, ydd
    "X0": "n1",  # position at which Newton started
    "yp": "n1",  # y at which DF was taken
    "rho": "n1",
    "M": "n2",
    "A": "n2",  # (nq, nq) factor
    "H": "n1",
    "fac": "f1",  # load factors: gravity, loads, actuators, prestress
    "fn": "i1",  # addresses of the outlined kernels
    "u_ext": "n1",  # (ne) actuator stress and (nx) force added by the caller
    "f_ext": "n1",
}


@structref.register
class _StructType(numba.types.StructRef):
    """A compiled struct of arrays, passed by reference: tuples of many arrays make compilation take minutes."""


class _Handle(structref.StructRefProxy):
    """What Python sees of such a struct."""


structref.define_boxing(_StructType, _Handle)
_NUMBERS = {"i": numba.int64, "f": numba.float64, "c": numba.complex128}


def struct_type(fields: dict, number: str):
    """The type of a struct of arrays whose own number type is `number`."""
    of = {k: (number if v[0] == "n" else v[0]) for k, v in fields.items()}
    return _StructType([(k, numba.types.Array(_NUMBERS[of[k]], int(v[1]), "C")) for k, v in fields.items()])


def struct_maker(name: str, fields: dict, number: str):
    """A kernel that packs arrays, in the order of the fields, into a struct of their own type."""
    struct = struct_type(fields, number)
    head, fill = f"def {name}({', '.join(fields)}):", [f"    s.{k} = {k}" for k in fields]
    body = [head, "    s = new(struct)", *fill, "    return s"]
    space = {"new": structref.new, "struct": struct, "__name__": __name__}
    exec(compile("\n".join(body), __file__, "exec"), space)  # our own field names, no user text
    return kernel(space[name])


_make_tables = struct_maker("_make_tables", TABLES, "f")
_make_work = {"f": struct_maker("_make_work", WORK, "f"), "c": struct_maker("_make_complex_work", WORK, "c")}
_STRUCTS = {n: {"t": struct_type(TABLES, "f"), "w": struct_type(WORK, n)} for n in "fc"}


class Arrays(SimpleNamespace):
    """Arrays by name, and `k`, the same arrays as one struct for the kernels."""

    k: object


class Work(SimpleNamespace):
    """Arrays of a work space by name; `k`, the same as one struct, makes sure that what kernels call is compiled."""

    @property
    def k(self):
        ready(self.number, _STRUCTS[self.number])
        return self.struct


def pack_work(shapes: dict, dtype=np.float64) -> Work:
    """Work space of zeros in the given shapes; arrays without a shape are empty."""
    number = "c" if dtype is complex else "f"
    types = {"i": np.int64, "f": np.float64, "n": dtype}
    arrays = {
        name: np.zeros(shapes.get(name, (0,) * int(code[1])), types[code[0]]) for name, code in WORK.items()
    }
    arrays["fac"], arrays["fn"] = np.ones(4), ADDRESSES[number]
    return Work(**arrays, number=number, struct=_make_work[number](*arrays.values()))


def pack_tables(arrays: dict) -> Arrays:
    """Tables from a dictionary that has all their fields."""
    found = {}
    for name, code in TABLES.items():
        a = np.ascontiguousarray(arrays[name], dtype=np.int64 if code[0] == "i" else np.float64)
        assert a.ndim == int(code[1]), name
        found[name] = a
    return Arrays(**found, k=_make_tables(*found.values()))


def work_space(t: Arrays, dtype=np.float64) -> Work:
    """Fresh work space for the tables."""
    nx, ne, nq, ny = (int(i) for i in t.n)
    nd, nc, nb, nz = len(t.dir_x), len(t.ch_p), len(t.b_kind), len(t.z_kind)
    shapes = dict(
        X=(3, nx), U=(3, nd, 3), G=(3, nd, 3, 4), L=(3, nc, 3), R=(3, nc), E=(3, nc, 3), b=(3, nb),
        bg=(3, nb, GRADIENT), e=(3, ne), D=(3, int(t.el_D[-1])), lu=(int(t.blk_lu[-1]),), piv=(len(t.eq_e),),
        one=(ne, 1), sol=(nx, 1), rhs=(ne, ny), DF=(nx, ny), DFd=(nx, ny), DFdd=(nx, ny), P=(nx, ny), V=(3 * nz, ny),
        V1=(3 * nz, ny), V2=(3 * nz, ny), CV=(3 * nz, ny), zdd=(nz, 3), w=(nz, 3), fx=(nx,), sigma=(ne,),
        y=(3, ny), yp=(ny,), X0=(nx,), rho=(ny,), M=(ny, ny), A=(nq, nq), H=(int(t.el_H[-1]),),
        u_ext=(ne,), f_ext=(nx,),
    )  # fmt: skip
    return pack_work(shapes, dtype)
