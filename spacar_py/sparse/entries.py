"""Rows and columns of the flat numbers that the kernels write, block by block; -1 where a coordinate is held."""

from __future__ import annotations

import numpy as np

from ..tables import FOLLOWER_MOMENT, MOMENT


def element_entries(t, place) -> tuple[np.ndarray, np.ndarray]:
    """Of the element matrices (nx x nx each, in the order of H)."""
    sizes = np.diff(t.el_x)
    rows, cols = np.empty(int(t.el_H[-1]), np.int64), np.empty(int(t.el_H[-1]), np.int64)
    for k in np.unique(sizes):  # all elements with the same number of coordinates at once
        els = np.flatnonzero(sizes == k)
        x = place[t.el_xi[t.el_x[els][:, None] + np.arange(k)]]
        at = (t.el_H[els][:, None] + np.arange(k * k)).ravel()
        rows[at], cols[at] = np.repeat(x, k, axis=1).ravel(), np.tile(x, (1, k)).ravel()
    return rows, cols


def _blocks(place, first_r, n_r, first_c, n_c) -> tuple[np.ndarray, np.ndarray]:
    """16 rows and columns per block of at most 4 x 4."""
    a = np.arange(4)
    held = np.append(place, -1)  # one more place, for what lies outside a block
    r = np.where(a < np.asarray(n_r)[:, None], np.asarray(first_r)[:, None] + a, len(place))
    c = np.where(a < np.asarray(n_c)[:, None], np.asarray(first_c)[:, None] + a, len(place))
    r, c = np.minimum(r, len(place)), np.minimum(c, len(place))
    rows, cols = np.repeat(held[r], 4, axis=1).ravel(), np.tile(held[c], (1, 4)).ravel()
    none = (rows < 0) | (cols < 0)
    return np.where(none, -1, rows), np.where(none, -1, cols)


def _vectors(t) -> tuple[np.ndarray, np.ndarray]:
    """First coordinate and number of coordinates of each inertial vector."""
    if not len(t.dir_x):
        return t.z_i, t.z_n
    direction = t.z_kind == 1
    d = np.where(direction, t.z_i, 0)
    return np.where(direction, t.dir_x[d], t.z_i), np.where(direction, t.dir_n[d], t.z_n)


def mass_entries(t, place) -> tuple[np.ndarray, np.ndarray]:
    """Of the blocks of the mass matrix, one for each entry of C."""
    first, size = _vectors(t)
    n = np.repeat(np.arange(len(t.z_kind)), np.diff(t.c_ptr))
    return _blocks(place, first[n], size[n], first[t.c_idx], size[t.c_idx])


def direction_entries(t, place) -> tuple[np.ndarray, np.ndarray]:
    """Of the second derivatives of the inertial directions."""
    first, size = _vectors(t)
    size = np.where(t.z_kind == 1, size, 0)
    return _blocks(place, first, size, first, size)


def load_entries(t, place) -> tuple[np.ndarray, np.ndarray]:
    """Of the derivatives of moments and follower forces."""
    if not len(t.ld_kind):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    d, follows = np.maximum(t.ld_dir, 0), t.ld_dir >= 0
    moment = (t.ld_kind == MOMENT) | (t.ld_kind == FOLLOWER_MOMENT)
    own = np.where(moment, 4, 0)
    dir_x, dir_n = (np.append(a, 0) for a in (t.dir_x, t.dir_n))
    return _blocks(place, t.ld_x, np.where(follows, t.ld_n, own), np.where(follows, dir_x[d], t.ld_x),
                   np.where(follows, dir_n[d], own))  # fmt: skip


def condition_entries(t, place, bound) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of D_b: ranges per condition, place of each number in D, place of its coordinate."""
    el = t.e_el[bound]
    nx = np.diff(t.el_x)[el]
    start = t.el_D[el] + (bound - t.el_e[el]) * nx
    offset = np.concatenate([[0], np.cumsum(nx)]).astype(np.int64)
    local = np.arange(offset[-1]) - np.repeat(offset[:-1], nx)
    numbers = np.repeat(start, nx) + local
    return offset, numbers, place[t.el_xi[np.repeat(t.el_x[el], nx) + local]]
