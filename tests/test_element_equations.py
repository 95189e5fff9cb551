"""Deformations against their equations written out once more with plain arrays, far from the start."""

import numpy as np
import pytest
from _nodal import Alone

from spacar_py.rotations import matrix

SEEDS = [1, 2, 3]


class Pose:
    """Points, rotations relative to the start and element axes of one element alone, away from its start."""

    def __init__(self, kind, seed):
        rng = np.random.default_rng(seed)
        self.alone = Alone(kind, rng)
        x = self.alone.x0 + 0.25 * rng.normal(size=self.alone.nx)
        self.R, self.x = {}, {}
        for node, o in self.alone.offsets.items():
            part = slice(o, o + node.size)
            if node.kind == "frame" and node.size == 4:
                x[part] /= np.linalg.norm(x[part])
                self.R[node.name] = matrix(x[part]) @ matrix(node.start).T
            elif node.kind == "frame":
                a = x[o] - node.start[0]
                self.R[node.name] = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
            else:
                self.x[node.name] = np.r_[x[part], np.zeros(max(0, 3 - node.size))] if node.kind == "point" else x[o]
        self.e = self.alone.evaluate(x).e[0, : self.alone.n]
        self.ex, self.ey, self.ez = self.alone.element.axes
        self.L0, self.chord = self.alone.element.L0, self.alone.element.chord

    def carried(self, slot):
        """ex, ey, ez carried by a frame."""
        return self.R[slot] @ self.ex, self.R[slot] @ self.ey, self.R[slot] @ self.ez

    def equals(self, *want):
        assert np.allclose(self.e, want, rtol=0, atol=1e-13)  # rounding; lengths of order one


def beam_equations(s):
    """Section 2 of the formulation (Jonker and Meijaard)."""
    L0 = s.L0
    _, py, pz = s.carried("rp")
    _, qy, qz = s.carried("rq")
    l = s.x["xq"] - s.x["xp"]
    r = np.linalg.norm(l)
    el = l / r
    b1, b2 = r - L0, L0 * (pz @ qy - py @ qz) / 2
    b3, b4, b5, b6 = -L0 * pz @ el, L0 * qz @ el, L0 * py @ el, -L0 * qy @ el
    return [
        b1 + (2 * b3**2 + b3 * b4 + 2 * b4**2 + 2 * b5**2 + b5 * b6 + 2 * b6**2) / (30 * L0),
        b2 + (-b3 * b6 + b4 * b5) / L0,
        b3 + b2 * (b5 + b6) / (6 * L0),
        b4 - b2 * (b5 + b6) / (6 * L0),
        b5 - b2 * (b3 + b4) / (6 * L0),
        b6 + b2 * (b3 + b4) / (6 * L0),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_beam_has_six_deformations_with_second_order_terms(seed):
    s = Pose("beam", seed)
    s.equals(*beam_equations(s))


@pytest.mark.parametrize("seed", SEEDS)
def test_warping_beam_adds_the_rates_of_twist_times_length_squared(seed):
    s = Pose("warping beam", seed)
    s.equals(*beam_equations(s), s.L0**2 * s.x["wp"], s.L0**2 * s.x["wq"])


@pytest.mark.parametrize("seed", SEEDS)
def test_planar_beam_is_the_spatial_one_in_the_plane(seed):
    """No torsion and no bending out of plane: e1, e5, e6 of the spatial beam."""
    s = Pose("planar beam", seed)
    e = beam_equations(s)
    assert np.allclose(e[1:4], 0.0, rtol=0, atol=1e-14)
    s.equals(e[0], e[4], e[5])


@pytest.mark.parametrize("kind", ["truss", "planar truss"])
def test_truss_grows_by_its_chord(kind):
    s = Pose(kind, 1)
    s.equals(np.linalg.norm(s.x["xq"] - s.x["xp"]) - s.L0)


@pytest.mark.parametrize("kind", ["rigid beam", "planar rigid link"])
def test_rigid_beam_keeps_the_chord_along_its_axis(kind):
    s = Pose(kind, 1)
    _, py, pz = s.carried("rp")
    l = s.x["xq"] - s.x["xp"]
    el = l / np.linalg.norm(l)
    tilt = [-s.L0 * pz @ el, s.L0 * py @ el]
    s.equals(np.linalg.norm(l) - s.L0, *(tilt if kind == "rigid beam" else tilt[1:]))


@pytest.mark.parametrize("seed", SEEDS)
def test_hinge_is_an_angle_and_two_tilts(seed):
    s = Pose("hinge", seed)
    _, py, pz = s.carried("rp")
    qx, qy, qz = s.carried("rq")
    s.equals(np.arctan2(pz @ qy - py @ qz, py @ qy + pz @ qz), -pz @ qx, py @ qx)


@pytest.mark.parametrize("kind", ["pin body", "planar pin body"])
def test_pin_body_is_the_shift_seen_from_the_body(kind):
    s = Pose(kind, 1)
    shift = s.R["rp"].T @ (s.x["xq"] - s.x["xp"]) - s.chord
    s.equals(*(np.array([s.ex, s.ey, s.ez]) @ shift)[: s.alone.n])


def slide(s):
    return [a @ (s.x["xq"] - s.x["xp"]) - b @ s.chord for a, b in zip(s.carried("rp"), (s.ex, s.ey, s.ez), strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
def test_slider_is_a_shift_and_three_rotations(seed):
    s = Pose("slider", seed)
    _, py, pz = s.carried("rp")
    qx, qy, qz = s.carried("rq")
    s.equals(*slide(s), (pz @ qy - py @ qz) / 2, -pz @ qx, py @ qx)


def test_planar_slider_is_a_shift_and_a_rotation():
    s = Pose("planar slider", 1)
    turn = s.R["rp"].T @ s.R["rq"]
    s.equals(*slide(s)[:2], np.arctan2(turn[1, 0], turn[0, 0]))


@pytest.mark.parametrize("seed", SEEDS)
def test_cylinder_is_a_shift_an_angle_and_two_tilts(seed):
    s = Pose("cylinder", seed)
    _, py, pz = s.carried("rp")
    qx, qy, qz = s.carried("rq")
    s.equals(*slide(s), np.arctan2(pz @ qy - py @ qz, py @ qy + pz @ qz), -pz @ qx, py @ qx)


@pytest.mark.parametrize("seed", SEEDS)
def test_universal_joint_is_two_angles_and_a_skew(seed):
    s = Pose("universal joint", seed)
    px, py, pz = s.carried("rp")
    qx, qy, qz = s.carried("rq")
    s.equals(np.arctan2(pz @ qy, py @ qy), np.arctan2(px @ qz, px @ qx), px @ qy)
