"""SPACAR's binary files: layout byte for byte, round trips, and damaged files."""

import os
import random
import struct

import numpy as np
import pytest

from spacar_py.errors import InputError
from spacar_py.spacarfiles import (
    LAYOUTS,
    BinaryError,
    read_ltv,
    read_sbd,
    read_sbm,
    write_ltv,
    write_sbd,
    write_sbm,
)

READ = {"sbd": read_sbd, "sbm": read_sbm, "ltv": read_ltv}
WRITE = {"sbd": write_sbd, "sbm": write_sbm, "ltv": write_ltv}


def head(name, kind, size, rows, cols):
    return struct.pack("<4s4i", name.encode().ljust(4), kind, size, rows, cols)


def example(kind, steps=3, seed=1):
    """Random content of the shapes of a small model: 3 nodes, 2 elements, 1 degree of freedom, 7 coordinates."""
    rng = np.random.default_rng(seed)
    layout = LAYOUTS[kind]
    tables = {"LNP": (3, 4), "LE": (2, 8), "LN": (2, 6), "RXYZ": (2, 9), "STIF": (2, 12), "DAMP": (2, 12), "EM": (2, 6),
              "ESIG": (2, 6), "RQ": (2, 4), "DR0": (2, 1), "EINI": (2, 6), "DFT": (1, 2)}
    whole = "NX NE NDOF NDDO NKDO NKDD NXP NEP LNP LE LN IT KDEF MODE NU NY NNOM NRBM NYS".split()
    vectors = {"NXP": 5, "NEP": 5, "IT": 2, "KDEF": 4, "RL0": 2, "X0": 2}
    header = {}
    for name in layout.header:
        shape = tables.get(name, (vectors[name],) if name in vectors else ())
        header[name] = rng.integers(0, 99, shape) if name in whole else rng.normal(size=shape)
    matrices = {"DX": (7, 1), "DE": (6, 1), "A": (2, 2), "B": (2, 1), "C": (3, 2), "D": (3, 1), "G": (2, 1),
                **{m: (1, 1) for m in "M0 C0 D0 K0 N0 G0 C0B K0B".split()}}
    vectors = {"E": 6, "ED": 6, "EDD": 6, "SIG": 6, "U0": 1, "Y0": 3, "SIG0": 6}
    data = {name: rng.normal(size=(steps, *matrices.get(name, () if name == "T" else (vectors.get(name, 7),))))
            for name in layout.steps}
    return header, data


def test_a_file_has_the_described_bytes(tmp_path):
    """Header records, TDEF with the number of steps, record headers, TDAT, then step by step, tables row by row."""
    path = tmp_path / "m.ltv"
    header = dict(NX=2, NU=1, NY=1, NNOM=0, NRBM=0, NYS=0, DFT=[[0.5, 0.25]], X0=[1.0, 2.0])
    a = np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    one = np.ones((2, 1, 1))
    steps = dict(T=[0.0, 0.1], A=a, B=np.full((2, 2, 1), 9.0), C=np.full((2, 1, 2), 8.0), M0=one, C0B=2 * one,
                 K0B=3 * one, U0=[[4.0], [5.0]], Y0=[[6.0], [7.0]])
    write_ltv(path, header, steps)
    expected = b"".join(head(n, 1, 4, 1, 1) + struct.pack("<i", v)
                        for n, v in zip("NX NU NY NNOM NRBM NYS".split(), (2, 1, 1, 0, 0, 0), strict=True))
    expected += head("DFT", 2, 8, 1, 2) + struct.pack("<2d", 0.5, 0.25)
    expected += head("X0", 2, 8, 2, 1) + struct.pack("<2d", 1, 2)
    expected += head("TDEF", 0, 0, 2, 0)
    for name, rows, cols in (("T", 1, 1), ("A", 2, 2), ("B", 2, 1), ("C", 1, 2), ("M0", 1, 1), ("C0B", 1, 1),
                             ("K0B", 1, 1), ("U0", 1, 1), ("Y0", 1, 1)):
        expected += head(name, 2, 8, rows, cols)
    expected += head("TDAT", 0, 0, 0, 0)
    expected += struct.pack("<14d", 0.0, 1, 2, 3, 4, 9, 9, 8, 8, 1, 2, 3, 4, 6)
    expected += struct.pack("<14d", 0.1, 5, 6, 7, 8, 9, 9, 8, 8, 1, 2, 3, 5, 7)
    assert path.read_bytes() == expected


def test_vectors_tables_and_characters_are_read_as_they_stand(tmp_path):
    path = tmp_path / "m.sbd"
    path.write_bytes(
        head("NX", 1, 4, 1, 1) + struct.pack("<i", 3) + head("NXP", 1, 4, 1, 5) + struct.pack("<5i", 1, 2, 3, 4, 5)
        + head("LNP", 1, 4, 1, 4) + struct.pack("<4i", 1, 2, 3, 0) + head("NAME", 3, 1, 1, 6) + b"arm \0\0"
        + head("TDEF", 0, 4, 2, 1) + head("T", 2, 8, 1, 1) + head("X", 2, 8, 3, 1) + head("TDAT", 0, 0, 0, 1)
        + struct.pack("<8d", 0, 1, 2, 3, 0.5, 4, 5, 6))
    sbd = read_sbd(path)
    assert sbd.nsteps == 2 and sbd["NX"].shape == () and sbd["NX"] == 3
    assert sbd["NXP"].tolist() == [1, 2, 3, 4, 5]
    assert sbd["LNP"].tolist() == [[1, 2, 3, 0]]
    assert sbd["NAME"].tobytes() == b"arm \0\0"
    assert sbd["T"].tolist() == [0, 0.5]
    assert sbd["X"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert sbd["x"] is sbd["X"] and sbd["time"] is sbd["T"]
    assert list(sbd) == sbd.keys() == ["NX", "NXP", "LNP", "NAME", "T", "X"]
    assert "lnp" in sbd and "Q" not in sbd and len(sbd) == 6


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("steps", [0, 1, 4])
def test_what_is_written_is_read_back_identically(kind, steps, tmp_path):
    header, data = example(kind, steps)
    WRITE[kind](tmp_path / "a", header, data)
    back = READ[kind](tmp_path / "a")
    assert back.nsteps == steps and list(back.header) == list(LAYOUTS[kind].header)
    assert list(back.steps) == list(LAYOUTS[kind].steps)
    for name, value in {**header, **data}.items():
        assert back[name].shape == np.shape(value) and np.array_equal(back[name], value), name
    back.write(tmp_path / "b")
    WRITE[kind](tmp_path / "c", back.header, back.steps, back.shapes)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_nan_and_infinity_survive_in_results(tmp_path):
    header, data = example("sbm")
    data["K0"][1, 0, 0], data["K0"][2, 0, 0] = np.nan, np.inf
    write_sbm(tmp_path / "m.sbm", header, data)
    assert np.array_equal(read_sbm(tmp_path / "m.sbm")["K0"], data["K0"], equal_nan=True)


def test_variables_are_put_in_order_and_further_ones_follow(tmp_path):
    header, data = example("sbm")
    write_sbm(tmp_path / "m", header, {"BK0": data["M0"], **dict(reversed(data.items()))})
    assert list(read_sbm(tmp_path / "m").steps) == [*LAYOUTS["sbm"].steps, "BK0"]


@pytest.mark.parametrize("kind", READ)
def test_a_file_cut_anywhere_gives_one_sentence(kind, tmp_path):
    header, data = example(kind, 2)
    whole, path = tmp_path / "whole", tmp_path / "cut.bin"
    WRITE[kind](whole, header, data)
    content = whole.read_bytes()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(BinaryError, match=r"cut\.bin: record \w+ at byte \d+: ") as caught:
            READ[kind](path)
        assert caught.value.offset <= size


def test_damaged_files_give_our_error_only(tmp_path):
    header, data = example("ltv", 2)
    path = tmp_path / "m.ltv"
    write_ltv(path, header, data)
    content, rng, refused = path.read_bytes(), random.Random(7), 0
    for _ in range(2000):
        broken = bytearray(content)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(broken) if rng.random() < 0.5 else 400)
            broken[at:at + rng.choice((0, 1, 4))] = rng.choice(
                (b"\xff", b"\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80", rng.randbytes(3)))
        path.write_bytes(broken)
        try:
            read_ltv(path)
        except BinaryError:
            refused += 1
    assert refused > 1000


HUGE = 2**31 - 1


@pytest.mark.parametrize("content, message", [
    (b"", "record TDEF at byte 0: the file ends here (0 of 20 bytes of a record header); it is truncated"),
    (b"\x7fELF" + bytes(40), "record TDEF at byte 0: b'\\x7fELF' is not the name of a record; this is not a SPACAR"),
    (head("NX", 7, 4, 1, 1), "record NX at byte 0: type 7 with items of 4 bytes in 1 x 1 is not valid"),
    (head("NX", 1, 8, 1, 1), "record NX at byte 0: type 1 with items of 8 bytes in 1 x 1 is not valid"),
    (head("NX", 2, 8, -1, 1), "record NX at byte 0: type 2 with items of 8 bytes in -1 x 1 is not valid"),
    (head("NX", 2, 8, HUGE, HUGE), "record NX at byte 0: type 2 with items of 8 bytes in 2147483647 x 2147483647"),
    (head("NX", 1, 4, 3, 1) + bytes(5), "record NX at byte 20: 12 bytes of data expected, 5 left; the file is"),
    (2 * (head("NX", 1, 4, 1, 1) + bytes(4)), "record NX at byte 24: the name occurs twice"),
    (head("TDAT", 0, 0, 0, 0), "record TDAT at byte 0: a marker where only TDEF can stand"),
    (head("TDEF", 0, 0, 3, 0) + head("T", 2, 8, 1, 1) + head("X", 2, 8, 2, 1) + head("TDAT", 0, 0, 0, 0) + bytes(36),
     "record X at byte 112: step 2 of 3 is incomplete (4 of 16 bytes); the file is truncated"),
    (head("TDEF", 0, 0, 1, 0) + head("T", 2, 8, 1, 1) + head("TDAT", 0, 0, 0, 0) + bytes(9),
     "record TDAT at byte 68: 1 bytes are left after the last of 1 steps; the file is damaged"),
    (head("TDEF", 0, 0, HUGE, 0) + head("T", 2, 8, HUGE, 0) + head("TDAT", 0, 0, 0, 0),
     "record TDEF at byte 60: 2147483647 steps are more than any file holds"),
])
def test_messages_name_file_record_and_offset(content, message, tmp_path):
    path = tmp_path / "run.sbd"
    path.write_bytes(content)
    with pytest.raises(BinaryError) as caught:
        read_sbd(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_missing_file_and_an_unknown_variable_are_named(tmp_path):
    with pytest.raises(InputError, match="none.sbd: the file cannot be read .*; check the path"):
        read_sbd(tmp_path / "none.sbd")
    header, data = example("sbm")
    write_sbm(tmp_path / "m.sbm", header, data)
    with pytest.raises(InputError, match=r"m.sbm: no variable 'M00' \(did you mean 'M0'\?\); it has NDOF, "):
        read_sbm(tmp_path / "m.sbm")["M00"]


@pytest.mark.parametrize("change, message", [
    ({"M0": None}, "the step data of a .sbm needs M0; give these too"),
    ({"M0": np.zeros((2, 1, 1))}, "variable M0 has 2 steps where the file has 3; give every variable for every step"),
    ({"M0": 1.0}, "variable M0 must have the steps as its first axis, got a number"),
    ({"M0": np.zeros((3, 1, 1, 1))}, "variable M0 has shape (3, 1, 1, 1), which is not a table of 1 x 1 for each step"),
    ({"M0": [[1], [1, 2], [3]]}, "variable M0 must be numbers of one shape for all steps"),
    ({"M0": np.zeros(3, complex)}, "variable M0 must be numbers of one shape for all steps (complex128)"),
    ({"lower": np.zeros(3)}, "the name of a variable has 1 to 4 capitals or digits, got 'lower'"),
    ({"BIG": np.array([1, 2, 2**40])}, "variable BIG holds 1099511627776, which is beyond 32 bits"),
])
def test_what_cannot_be_written_is_refused(change, message, tmp_path):
    header, data = example("sbm")
    data = {name: value for name, value in {**data, **change}.items() if value is not None}
    with pytest.raises(InputError) as caught:
        write_sbm(tmp_path / "m.sbm", header, data)
    assert str(caught.value).startswith(f"{tmp_path / 'm.sbm'}: {message}")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    header, data = example("sbm")
    path = tmp_path / "m.sbm"
    write_sbm(path, header, data)
    old = path.read_bytes()

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="m.sbm: the file cannot be written .No space left on device."):
        write_sbm(path, *example("sbm", 5))
    assert path.read_bytes() == old and list(tmp_path.iterdir()) == [path]
