"""Everything about states that are known: stress resultants, reactions, energies and powers, point by point."""

import numpy as np

from ._jit import kernel
from .controller import control
from .dynamics import accelerate, balance, inputs, loads, position, reactions, velocities
from .signals import signal


@kernel
def energies(t, w, out):
    """out = kinetic, elastic, gravitational energy at the present series."""
    kin, grav, ela = 0.0, 0.0, 0.0
    for n in range(t.z_kind.size):
        i = t.z_i[n]
        for c in range(3):
            z, v = 0.0, 0.0
            if t.z_kind[n] != 1:
                if c < t.z_n[n]:
                    z, v = w.X[0, i + c], w.X[1, i + c]
            else:
                z, v = w.U[0, i, c], w.U[1, i, c]
            for p in range(t.c_ptr[n], t.c_ptr[n + 1]):
                m, j = t.c_idx[p], t.z_i[t.c_idx[p]]
                if t.z_kind[m] == 0:
                    grav -= t.c_val[p] * w.fac[0] * t.gravity[c] * z
                if t.z_kind[m] != 1:
                    if c < t.z_n[m]:
                        kin += 0.5 * t.c_val[p] * v * w.X[1, j + c]
                else:
                    kin += 0.5 * t.c_val[p] * v * w.U[1, j, c]
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            for j in range(n):
                ela += 0.5 * w.e[0, e0 + i] * t.S[s0 + i * n + j] * w.e[0, e0 + j]
            ela += w.fac[3] * t.sigma0[e0 + i] * w.e[0, e0 + i]
    out[0] = kin
    out[1] = ela
    out[2] = grav


@kernel
def powers(t, w, time, out):
    """out = power of the loads, of the actuators, lost in dampers, and of the prescribed motions (from w.rho)."""
    loads(t, w, time)
    s3 = np.empty(3)
    out[0], out[1], out[2], out[3] = 0.0, 0.0, 0.0, 0.0
    for i in range(w.fx.size):
        out[0] += w.fx[i] * w.X[1, i]
    for i in range(w.u_ext.size):
        out[1] += w.u_ext[i] * w.e[1, i]
    for n in range(t.act_e.size):
        signal(t.sg_ptr, t.sg_t, t.sg_c, t.act_sig[n], time, s3)
        out[1] += w.fac[2] * s3[0] * w.e[1, t.act_e[n]]
    for el in range(t.el_e.size - 1):
        e0, n, s0 = t.el_e[el], t.el_e[el + 1] - t.el_e[el], t.el_S[el]
        for i in range(n):
            for j in range(n):
                out[2] += w.e[1, e0 + i] * t.Sd[s0 + i * n + j] * w.e[1, e0 + j]
    for j in range(t.n[2], t.n[3]):
        out[3] += w.rho[j] * w.y[1, j]


@kernel
def evaluate(t, w, c, z, times, Y, ref, given, near, X, e, sigma, fx, energy, power, rho):
    """Everything at N states Y (N, 3, ny); the state that failed, or -1.

    given: 0 finds qdd by the equations of motion, 1 takes it from Y, 2 takes the prescribed motions from Y as well.
    near (N, nx + ne), or without rows: coordinates and deformations close to each state, so that points far apart
    stay on their branch.
    """
    nx = w.X.shape[1]
    for n in range(times.size):
        for k in range(3):
            for j in range(w.y.shape[1]):
                w.y[k, j] = Y[n, k, j]
        if given < 2:
            inputs(t, w, times[n])
        if near.shape[0] > 0:
            for i in range(nx):
                w.X[0, i] = near[n, i]
            for i in range(ref.size):
                ref[i] = near[n, nx + i]
            for j in range(w.yp.size):
                w.yp[j] = w.y[0, j]
        status = position(t, w, ref)
        if status <= 0:
            return n
        velocities(t, w, ref)
        if c.n[0] > 0:
            control(t, w, c, times[n], z[n])
        if given == 0:
            if accelerate(t, w, times[n], ref) <= 0:
                return n
        balance(t, w, times[n], ref)
        reactions(t, w)
        for i in range(nx):
            fx[n, i] = w.fx[i]
            for k in range(3):
                X[k, n, i] = w.X[k, i] * (2.0 if k == 2 else 1.0)
        for i in range(ref.size):
            ref[i] = w.e[0, i]
            sigma[n, i] = w.sigma[i]
            for k in range(3):
                e[k, n, i] = w.e[k, i] * (2.0 if k == 2 else 1.0)
        for j in range(w.rho.size):
            rho[n, j] = w.rho[j]
            for k in range(3):
                Y[n, k, j] = w.y[k, j]
        energies(t, w, energy[n])
        powers(t, w, times[n], power[n])
    return -1
