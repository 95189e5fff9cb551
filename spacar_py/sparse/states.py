"""Everything about nodal states that are known: conditions kept, accelerations, reactions, energies."""

from .._jit import kernel
from ..dynamics import inputs, stresses
from ..evaluation import energies, powers
from ..integrate.rates import copy
from .assembly import tangent_matrix, unbalance
from .implicit import accelerate_nodal
from .lu import backsolve, refactor

PROJECTIONS = 8


@kernel
def _move(s, X):
    """X += solution of the conditions' part, the rest of the right-hand side being zero."""
    backsolve(s.start, s.rows, s.diag, s.V, s.b)
    for m in range(s.free.size):
        X[s.free[m]] += s.b[s.place[s.free[m]]]


@kernel
def project(t, w, s, time, ref, sigma_b):
    """Bring w.X of orders 0 and 1 onto the conditions by the shortest way in the metric of the mass; 1 or 0.

    The prescribed values are taken from w.y.
    """
    for m in range(s.r_x.size):
        i = s.r_x[m]
        w.X[0, i], w.X[1, i] = w.y[0, t.x_y[i]], w.y[1, t.x_y[i]]
    last = 1e300
    for it in range(PROJECTIONS):
        unbalance(t, w, s, time, ref, sigma_b, 1)
        if it < 2:
            tangent_matrix(t, w, s, time, 0.0, 0.0, 1.0, w.sigma)
            if refactor(s.start, s.rows, s.diag, s.V, s.x) >= 0:
                return 0
        gap = 0.0
        for i in range(s.b.size):
            s.b[i] = 0.0
        for m in range(s.bound.size):
            i = s.bound[m]
            g = -w.e[0, i]
            if t.e_y[i] >= 0:
                g += w.y[0, t.e_y[i]]
            s.b[s.b_place[m]] = g
            gap = max(gap, abs(g))
        if gap < 1e-14 or (gap < 1e-10 and gap > 0.1 * last):  # the latter: rounding is all that is left
            break
        if it == PROJECTIONS - 1 or not gap < 1e30:
            return 0
        _move(s, w.X[0])
        last = gap
    for i in range(s.b.size):
        s.b[i] = 0.0
    for m in range(s.bound.size):
        i = s.bound[m]
        s.b[s.b_place[m]] = -w.e[1, i]
        if t.e_y[i] >= 0:
            s.b[s.b_place[m]] += w.y[1, t.e_y[i]]
    _move(s, w.X[1])
    return 1


@kernel
def collect(t, w, n, times, Y, X, E, sigma, f, energy, power, rho):
    """Write the state in w to point n of a result."""
    for i in range(w.fx.size):
        f[n, i] = -w.fx[i]
    for k in range(3):
        factor = 2.0 if k == 2 else 1.0
        for i in range(w.fx.size):
            X[k, n, i] = factor * w.X[k, i]
            if t.x_y[i] >= 0:
                Y[n, k, t.x_y[i]] = X[k, n, i]
        for i in range(w.sigma.size):
            E[k, n, i] = factor * w.e[k, i]
            if t.e_y[i] >= 0:
                Y[n, k, t.e_y[i]] = E[k, n, i]
    for i in range(w.fx.size):
        if t.x_y[i] >= t.n[2]:
            w.rho[t.x_y[i]] = f[n, i]
    for i in range(w.sigma.size):
        sigma[n, i] = w.sigma[i]
    stresses(t, w, times[n])
    for i in range(w.sigma.size):  # a drive gives what the constitutive law does not
        if t.e_y[i] >= t.n[2]:
            w.rho[t.e_y[i]] = w.sigma[i] - sigma[n, i]
    for j in range(w.rho.size):
        rho[n, j] = w.rho[j]
        w.y[1, j] = Y[n, 1, j]
    energies(t, w, energy[n])
    powers(t, w, times[n], power[n])
    copy(sigma[n], w.sigma)


@kernel
def evaluate_nodal(t, w, s, ref, sigma_b, times, Y, X, E, sigma, f, energy, power, rho):
    """Everything at the states X[0], X[1] (N, nx), with deformations near E[0]; the point that failed, or -1."""
    for n in range(times.size):
        copy(X[0, n], w.X[0])
        copy(X[1, n], w.X[1])
        copy(E[0, n], ref)
        inputs(t, w, times[n])
        for i in range(w.X.shape[1]):
            w.X[2, i] = 0.0
        if project(t, w, s, times[n], ref, sigma_b) == 0:
            return n
        if accelerate_nodal(t, w, s, times[n], ref, sigma_b) <= 0:
            return n
        collect(t, w, n, times, Y, X, E, sigma, f, energy, power, rho)
    return -1
