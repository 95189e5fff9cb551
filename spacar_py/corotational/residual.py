"""The equations of a whole arm: residual F(y, y') and its energies (layout: see tables)."""

from __future__ import annotations

import numpy as np

from spacar_py._jit import kernel
from spacar_py.corotational.beam3d import beam_effort
from spacar_py.corotational.inertia import beam_inertia, body_inertia
from spacar_py.corotational.rotations import product3, quaternion_matrix, quaternion_rates


@kernel
def unpack(node_at, y, yp, x, R, Q, v, w, a, wd):
    """Nodal arrays from the unknowns: positions, rotations, Q(p), velocities, accelerations."""
    for n in range(node_at.shape[0]):
        o = node_at[n]
        quaternion_matrix(y[o + 3 : o + 7], R[n])
        quaternion_rates(y[o + 3 : o + 7], Q[n])
        for i in range(3):
            x[n, i] = y[o + i]
            v[n, i] = y[o + 7 + i]
            w[n, i] = y[o + 10 + i]
            a[n, i] = yp[o + 7 + i]
            wd[n, i] = yp[o + 10 + i]


@kernel
def turned(R, n, u, out):
    """Vector u of node n in global axes; the ground does not turn."""
    for i in range(3):
        if n < 0:
            out[i] = u[i]
        else:
            out[i] = R[n, i, 0] * u[0] + R[n, i, 1] * u[1] + R[n, i, 2] * u[2]


@kernel
def cross(a, b, out):
    """Vector product."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def constraint_forces(tb, R, y, which, out):
    """out += G^T lambda (which = 0) or G^T mu (which = 1), rows (force, moment) per node."""
    A = np.empty(3, y.dtype)
    T = np.empty(3, y.dtype)
    lam = np.empty(3, y.dtype)
    for c in range(tb.point_nodes.shape[0]):
        for i in range(3):
            lam[i] = y[tb.point_at[c, which] + i]
        for end in range(2):
            n = tb.point_nodes[c, end]
            if n >= 0:
                sign = 1.0 - 2.0 * end
                turned(R, n, tb.point_arms[c, end], A)
                cross(A, lam, T)
                for i in range(3):
                    out[n, i] += sign * lam[i]
                    out[n, 3 + i] += sign * T[i]
    for c in range(tb.dot_nodes.shape[0]):
        mult = y[tb.dot_at[c, which]]
        turned(R, tb.dot_nodes[c, 0], tb.dot_first[c, 0], A)
        turned(R, tb.dot_nodes[c, 1], tb.dot_second[c], lam)
        cross(A, lam, T)
        for end in range(2):
            n = tb.dot_nodes[c, end]
            if n >= 0:
                sign = 1.0 - 2.0 * end
                for i in range(3):
                    out[n, 3 + i] += sign * mult * T[i]


@kernel
def motor_state(tb, k, R, w, A, z, d):
    """Angle and rate of motor k; A, z, d: axis, gradient of the angle by the relative spin, relative angular velocity.

    x = c.b1, y = c.b2, angle = atan2(y, x) taken within half a turn of the target.
    """
    b1 = np.empty_like(A)
    b2 = np.empty_like(A)
    c = np.empty_like(A)
    n, m = tb.motor_nodes[k, 0], tb.motor_nodes[k, 1]
    turned(R, n, tb.motor_axes[k, 0], A)
    turned(R, n, tb.motor_axes[k, 1], b1)
    turned(R, n, tb.motor_axes[k, 2], b2)
    turned(R, m, tb.motor_axes[k, 3], c)
    px = c[0] * b1[0] + c[1] * b1[1] + c[2] * b1[2]
    py = c[0] * b2[0] + c[1] * b2[1] + c[2] * b2[2]
    target = tb.motor_target[k, 0]
    co, si = np.cos(target), np.sin(target)
    ex, ey = px * co + py * si, py * co - px * si
    # half-angle form of atan2(ey, ex), which exists for complex numbers too
    error = 2.0 * np.arctan(ey / (np.sqrt(ex * ex + ey * ey) + ex))
    rate = 0.0 * px
    s = px * px + py * py
    b3 = np.empty_like(A)
    cross(c, b2, z)
    cross(c, b1, b3)
    for i in range(3):
        z[i] = (px * z[i] - py * b3[i]) / s
        d[i] = 0.0
        if m >= 0:
            d[i] += w[m, i]
        if n >= 0:
            d[i] -= w[n, i]
        rate += A[i] * d[i]
    return target + error, rate


@kernel
def applied_forces(tb, R, w, out):
    """out += gravity, loads and motors, rows (force, moment) per node."""
    for e in range(tb.beam_nodes.shape[0]):
        half = tb.beam_mass[e, 0] * (tb.beam_mass[e, 3] + tb.beam_mass[e, 4])
        for end in range(2):
            for i in range(3):
                out[tb.beam_nodes[e, end], i] += half * tb.gravity[i]
    for b in range(tb.body_node.shape[0]):
        for i in range(3):
            out[tb.body_node[b], i] += tb.body_mass[b] * tb.gravity[i]
    A = np.empty(3, R.dtype)
    z = np.empty(3, R.dtype)
    d = np.empty(3, R.dtype)
    for k in range(tb.load_node.shape[0]):
        turned(R, tb.load_node[k], tb.load_arm[k], A)
        cross(A, tb.load[k], d)
        for i in range(3):
            out[tb.load_node[k], i] += tb.load[k, i]
            out[tb.load_node[k], 3 + i] += tb.load[k, 3 + i] + d[i]
    for k in range(tb.motor_nodes.shape[0]):
        angle, rate = motor_state(tb, k, R, w, A, z, d)
        torque = tb.motor_target[k, 2] + tb.motor_gains[k, 0] * (tb.motor_target[k, 0] - angle)
        torque += tb.motor_gains[k, 1] * (tb.motor_target[k, 1] - rate)
        for i in range(3):
            if tb.motor_nodes[k, 1] >= 0:
                out[tb.motor_nodes[k, 1], 3 + i] += torque * A[i]
            if tb.motor_nodes[k, 0] >= 0:
                out[tb.motor_nodes[k, 0], 3 + i] -= torque * A[i]


@kernel
def constraint_rows(tb, x, R, v, w, velocity, position):
    """Velocity and position constraints, in the order of points (three each) and dots (one each)."""
    A = np.empty(3, x.dtype)
    B = np.empty(3, x.dtype)
    N = np.empty(3, x.dtype)
    count = tb.point_nodes.shape[0]
    for c in range(count):
        for i in range(3):
            velocity[3 * c + i] = 0.0
            position[3 * c + i] = 0.0
        for end in range(2):
            n = tb.point_nodes[c, end]
            sign = 1.0 - 2.0 * end
            turned(R, n, tb.point_arms[c, end], A)
            for i in range(3):
                position[3 * c + i] += sign * A[i]
            if n >= 0:
                cross(w[n], A, N)
                for i in range(3):
                    position[3 * c + i] += sign * x[n, i]
                    velocity[3 * c + i] += sign * (v[n, i] + N[i])
    for c in range(tb.dot_nodes.shape[0]):
        n, m = tb.dot_nodes[c, 0], tb.dot_nodes[c, 1]
        turned(R, n, tb.dot_first[c, 0], A)
        turned(R, m, tb.dot_second[c], B)
        cross(A, B, N)
        k = 3 * count + c
        position[k] = A[0] * B[0] + A[1] * B[1] + A[2] * B[2]
        turned(R, n, tb.dot_first[c, 1], A)
        velocity[k] = A[0] * B[0] + A[1] * B[1] + A[2] * B[2]
        for i in range(3):
            if n >= 0:
                velocity[k] += w[n, i] * N[i]
            if m >= 0:
                velocity[k] -= w[m, i] * N[i]


@kernel
def constraint_time_slope(tb, R, w, out):
    """Explicit time derivative of the velocity constraints (drives only), in the same order."""
    A = np.empty(3, R.dtype)
    B = np.empty(3, R.dtype)
    N = np.empty(3, R.dtype)
    count = tb.point_nodes.shape[0]
    for c in range(3 * count):
        out[c] = 0.0
    for c in range(tb.dot_nodes.shape[0]):
        n, m = tb.dot_nodes[c, 0], tb.dot_nodes[c, 1]
        k = 3 * count + c
        turned(R, m, tb.dot_second[c], B)
        turned(R, n, tb.dot_first[c, 2], A)
        out[k] = A[0] * B[0] + A[1] * B[1] + A[2] * B[2]
        turned(R, n, tb.dot_first[c, 1], A)
        cross(A, B, N)
        for i in range(3):
            if n >= 0:
                out[k] += w[n, i] * N[i]
            if m >= 0:
                out[k] -= w[m, i] * N[i]


@kernel
def momentum_rows(tb, x, R, w, a, wd, out):
    """out += inertia plus elastic efforts, rows (force, moment) per node; returns the strain energy."""
    t1 = np.empty((3, 3), x.dtype)
    t2 = np.empty((3, 3), x.dtype)
    f = np.empty(12, x.dtype)
    energy = 0.0
    for e in range(tb.beam_nodes.shape[0]):
        n, m = tb.beam_nodes[e, 0], tb.beam_nodes[e, 1]
        product3(R[n], tb.beam_axes[e, 0], t1)
        product3(R[m], tb.beam_axes[e, 1], t2)
        energy += beam_effort(x, n, m, t1, t2, tb.beam_l0[e], tb.beam_law[e], f).real
        for i in range(6):
            out[n, i] += f[i]
            out[m, i] += f[6 + i]
        beam_inertia(t1, t2, n, m, w, a, wd, tb.beam_mass[e], f)
        for i in range(6):
            out[n, i] += f[i]
            out[m, i] += f[6 + i]
    for b in range(tb.body_node.shape[0]):
        k = tb.body_node[b]
        body_inertia(R[k], tb.body_inertia[b], tb.body_mass[b], w, a, wd, k, t1, f)
        for i in range(6):
            out[k, i] += f[i]
    return energy


@kernel
def residual(tb, y, yp, out):
    """F(y, y') of the whole arm."""
    nn = tb.node_at.shape[0]
    x, v, w = np.empty((nn, 3), y.dtype), np.empty((nn, 3), y.dtype), np.empty((nn, 3), y.dtype)
    a, wd = np.empty((nn, 3), y.dtype), np.empty((nn, 3), y.dtype)
    R, Q = np.empty((nn, 3, 3), y.dtype), np.empty((nn, 3, 4), y.dtype)
    unpack(tb.node_at, y, yp, x, R, Q, v, w, a, wd)
    need = np.zeros((nn, 6), y.dtype)
    given = np.zeros((nn, 6), y.dtype)
    extra = np.zeros((nn, 6), y.dtype)
    momentum_rows(tb, x, R, w, a, wd, need)
    applied_forces(tb, R, w, given)
    constraint_forces(tb, R, y, 0, given)
    constraint_forces(tb, R, y, 1, extra)
    for n in range(nn):
        o = tb.node_at[n]
        for i in range(3):
            out[o + i] = yp[o + i] - v[n, i] - extra[n, i]
        for c in range(4):
            turn = 0.0 * y[o]
            for i in range(3):
                turn += Q[n, i, c] * (w[n, i] + extra[n, 3 + i])
            out[o + 3 + c] = yp[o + 3 + c] - 0.5 * turn
        for i in range(6):
            out[o + 7 + i] = need[n, i] - given[n, i]
    count = 3 * tb.point_nodes.shape[0] + tb.dot_nodes.shape[0]
    rate = np.empty(count, y.dtype)
    place = np.empty(count, y.dtype)
    constraint_rows(tb, x, R, v, w, rate, place)
    for c in range(count):
        if c < 3 * tb.point_nodes.shape[0]:
            first = tb.point_at[c // 3, 0] + c % 3
            second = tb.point_at[c // 3, 1] + c % 3
        else:
            first = tb.dot_at[c - 3 * tb.point_nodes.shape[0], 0]
            second = tb.dot_at[c - 3 * tb.point_nodes.shape[0], 1]
        out[first] = rate[c]
        out[second] = place[c] if tb.stabilise[0] == 1 else y[second]
