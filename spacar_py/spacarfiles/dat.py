"""Reading SPACAR's input: .dat text to a `DatModel`.

    model = read_dat("arm.dat")
    model.elements[0].kind, model.node_kinds()

The kinematics end with END HALT, the dynamics with END HALT, the input/output with END END; a file without
input/output ends its dynamics with END END. END and HALT may stand on one line or on two. A VISUALIZATION block may
follow and is kept line by line.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from spacar_py.errors import nearest
from spacar_py.spacarfiles.check import check
from spacar_py.spacarfiles.datmodel import Coordinates, DatModel, Element, Input, Property, Setting, Signal, Status
from spacar_py.spacarfiles.files import read_bytes
from spacar_py.spacarfiles.keywords import (
    ALL,
    ELEMENT_INPUTS,
    ELEMENT_PROPERTIES,
    ELEMENT_SIGNALS,
    ELEMENT_STATUS,
    ELEMENTS,
    LARGEST_NUMBER,
    NODE_INPUTS,
    NODE_PROPERTIES,
    NODE_SIGNALS,
    NODE_STATUS,
    SECTIONS,
    SETTINGS,
    TRAJECTORY,
    UNSUPPORTED,
)
from spacar_py.spacarfiles.lexer import DatError, Source, Statement, lines_of, statements

_ORDER = ("kinematics", "dynamics", "input/output")


def read_dat(path: str | os.PathLike[str]) -> DatModel:
    """The model in a .dat file.

    Parameters
    ----------
    path : path of the file, with its extension

    Returns
    -------
    DatModel
        ``model.warnings`` lists what was accepted but looks wrong.

    Raises
    ------
    DatError
        If the text is not a valid model; names file, line, rule, value and remedy.
    InputError
        If the file cannot be read.
    """
    content = read_bytes(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")    # every byte is a character there: old comments may have accents
    return parse_dat(text, os.fspath(path))


def parse_dat(text: str, path: str = "model.dat") -> DatModel:
    """The model in a .dat text; ``path`` is the name to use in messages. See `read_dat`.

    Examples
    --------
    >>> model = parse_dat('''
    ... X 1 0 0 0
    ... X 2 1 0 0
    ... TRUSS 1 1 2
    ... FIX 1
    ... END HALT
    ... END END''')
    >>> model.elements[0].nodes
    (1, 2)
    """
    parser = _Parser(path, lines_of(text))
    model = parser.run()
    warnings = parser.warnings + check(model)
    return DatModel(**{**model.__dict__, "warnings": tuple(warnings)})


class _Parser:
    """Section by section; each keyword is handed to the reader of its sort."""

    def __init__(self, path: str, lines: list[str]):
        self.path, self.lines = path, lines
        self.section: str | None = _ORDER[0]
        self.end: Statement | None = None      # an END that waits for its HALT or END
        self.found: dict[str, list] = {name: [] for name in (
            "elements", "coordinates", "status", "properties", "inputs", "settings", "signals", "trajectory")}
        self.warnings: list[str] = []

    def run(self) -> DatModel:
        visualization = None
        last = Source(len(self.lines), self.lines[-1])
        iterator = statements(self.path, self.lines)
        while True:
            try:
                statement = next(iterator, None)
            except DatError as error:       # after END END nothing is read, as in SPACAR
                if self.section is not None:
                    raise
                self.warnings.append(f"line {error.line}: text after END END is ignored")
                break
            if statement is None:
                break
            if self.section is None:
                if statement.keyword == "VISUALIZ":
                    visualization = self._visualization(statement.source.line)
                else:
                    self.warnings.append(f"line {statement.source.line}: text after END END is ignored")
                break
            self._statement(statement)
        if self.section is not None:
            closing = "END HALT" if self.section == "kinematics" else "END END"
            raise DatError(self.path, last, f"the file ends within the {self.section}; close it with {closing}")
        return DatModel(**{name: tuple(items) for name, items in self.found.items()},
                        visualization=visualization, path=self.path)

    def _visualization(self, start: int) -> tuple[str, ...]:
        block = [line.rstrip() for line in self.lines[start:]]
        while block and not block[0].strip():
            block.pop(0)
        while block and not block[-1]:
            block.pop()
        return tuple(block)

    def _statement(self, st: Statement) -> None:
        if self.end is not None:
            self._close(st.keyword, st.words, st)
        elif st.keyword == "END":
            self.end = st
            if st.words:
                self._close(st.words[0].upper(), st.words[1:], st)
        else:
            self._reader(st)(st)

    def _close(self, word: str, rest: tuple[str, ...], st: Statement) -> None:
        if word not in ("HALT", "END") or rest:
            got = " ".join((word, *rest))[:40]
            raise st.error(f"END must be followed by HALT (more sections follow) or END (the last one), got {got!r}")
        self.end = None
        position = _ORDER.index(self.section)
        if word == "HALT" and position == len(_ORDER) - 1:
            raise st.error("the input/output is the last section; close it with END END")
        self.section = None if word == "END" else _ORDER[position + 1]

    def _reader(self, st: Statement) -> Callable[[Statement], None]:
        key = st.keyword
        if key in UNSUPPORTED:
            raise st.error("this keyword of SPACAR is not supported by spacar_py; remove it or model it another way")
        if key not in SECTIONS[self.section]:
            homes = [name for name in _ORDER if key in SECTIONS[name]]
            if homes:
                raise st.error(f"it belongs to the {homes[0]}, this is the {self.section}; "
                               "check the END HALT before it")
            if key == "HALT":
                raise st.error("HALT without END before it; a section is closed by END HALT")
            if key == "VISUALIZ":
                raise st.error("the block stands behind END END; close the sections first")
            raise DatError(self.path, st.source, f"unknown keyword '{key}'{nearest(key, ALL)}; "
                           "comments begin with # or %")
        for sort, reader in ((ELEMENTS, self._element), (("X",), self._coordinates), (SETTINGS, self._setting),
                             (TRAJECTORY, self._trajectory), (NODE_SIGNALS + ELEMENT_SIGNALS, self._signal),
                             (NODE_PROPERTIES + ELEMENT_PROPERTIES, self._property)):
            if key in sort:
                return reader
        return self._status if self.section == "kinematics" else self._input

    def _element(self, st: Statement) -> None:
        form, numbers = ELEMENTS[st.keyword], st.numbers()
        plain = 1 + len(form.nodes)
        allowed = ([plain], [plain, plain + 3], [plain + 3])[form.vector]
        if len(numbers) not in allowed:
            raise st.error(f"needs {' or '.join(map(str, allowed))} numbers ({form.usage}), got {len(numbers)}")
        number = _whole(st, numbers[0], "element number")
        nodes = tuple(_whole(st, n, f"node {name}")
                      for n, (name, _) in zip(numbers[1:plain], form.nodes, strict=True))
        vector = tuple(numbers[plain:]) or None
        self.found["elements"].append(Element(st.keyword, number, nodes, vector, st.source))

    def _coordinates(self, st: Statement) -> None:
        numbers = st.numbers()
        if len(numbers) not in (3, 4):
            raise st.error(f"needs 4 numbers (node x y z), or 3 in the plane, got {len(numbers)}")
        node = _whole(st, numbers[0], "node number")
        self.found["coordinates"].append(Coordinates(node, tuple(numbers[1:]), st.source))

    def _status(self, st: Statement) -> None:
        item = "node" if st.keyword in NODE_STATUS else "element"
        assert st.keyword in NODE_STATUS + ELEMENT_STATUS
        numbers = st.numbers()
        if not numbers:
            raise st.error(f"needs the {item} number ({item} [components]), got nothing")
        whole = [_whole(st, n, f"{item} number" if i == 0 else "component") for i, n in enumerate(numbers)]
        self.found["status"].append(Status(st.keyword, whole[0], tuple(whole[1:]), st.source))

    def _property(self, st: Statement) -> None:
        item = "node" if st.keyword in NODE_PROPERTIES else "element"
        numbers = st.numbers()
        if len(numbers) < 2:
            raise st.error(f"needs the {item} number and its values, got {len(numbers)} numbers")
        number = _whole(st, numbers[0], f"{item} number")
        self.found["properties"].append(Property(st.keyword, number, tuple(numbers[1:]), st.source))

    def _input(self, st: Statement) -> None:
        item = "node" if st.keyword in NODE_INPUTS else "element"
        most = {**NODE_INPUTS, **ELEMENT_INPUTS}[st.keyword]
        numbers = st.numbers()
        if not 3 <= len(numbers) <= 2 + most:
            count = "3" if most == 1 else f"3 to {2 + most}"
            usage = ("value", "value [rate]", "value [rate [acceleration]]")[most - 1]
            raise st.error(f"needs {count} numbers ({item} component {usage}), got {len(numbers)}")
        number, component = _whole(st, numbers[0], f"{item} number"), _whole(st, numbers[1], "component")
        self.found["inputs"].append(Input(st.keyword, number, component, tuple(numbers[2:]), st.source))

    def _setting(self, st: Statement) -> None:
        form, numbers = SETTINGS[st.keyword], st.numbers()
        if len(numbers) < form.least or (form.most is not None and len(numbers) > form.most):
            count = f"{form.least}" if form.most == form.least else \
                f"at least {form.least}" if form.most is None else f"{form.least} to {form.most}"
            raise st.error(f"needs {count} numbers ({form.usage}), got {len(numbers)}")
        self.found["settings"].append(Setting(st.keyword, tuple(numbers), st.source))

    def _trajectory(self, st: Statement) -> None:
        self.found["trajectory"].append(Setting(st.keyword, tuple(st.numbers()), st.source))

    def _signal(self, st: Statement) -> None:
        item = "node" if st.keyword in NODE_SIGNALS else "element"
        numbers = st.numbers()
        if len(numbers) != 3:
            raise st.error(f"needs 3 numbers (index {item} component), got {len(numbers)}")
        index, number, component = (_whole(st, n, what) for n, what in
                                    zip(numbers, ("index", f"{item} number", "component"), strict=True))
        self.found["signals"].append(Signal(st.keyword, index, number, component, st.source))


def _whole(st: Statement, value: float, what: str) -> int:
    if value != int(value) or not 1 <= value <= LARGEST_NUMBER:
        raise st.error(f"the {what} must be a whole number from 1 to {LARGEST_NUMBER}, got {value:.12g}")
    return int(value)
