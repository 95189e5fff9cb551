"""Parts of the schema of model files that others are made of: tables, alternatives, signals, sections."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from .errors import nearest

Vector = Annotated[list[float], Field(min_length=2, max_length=3)]
Matrix = list[list[float]]
Names = bool | str | list[str]
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class Table(BaseModel):
    """A table of the file: unknown fields are refused with the nearest known one."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    known = list(cls.model_fields)
                    raise PydanticCustomError(
                        "unknown_field", "is not known{hint}; known: {known}",
                        {"field": key, "hint": nearest(key, known), "known": ", ".join(known)},
                    )  # fmt: skip
        return data


def one_of(kinds: dict[str, type], default: str | None = None, plain: str | None = None):
    """A table whose `kind` decides its fields; `plain` is the tag of a value that is no table."""

    def tag(value):
        if not isinstance(value, dict):
            return plain or default
        kind = value.get("kind", default)
        return kind if isinstance(kind, str) else "?"

    members = [Annotated[cls, Tag(k)] for k, cls in kinds.items()]
    union = members[0]
    for m in members[1:]:
        union = union | m
    known = ", ".join(k for k in kinds if k != plain)
    return Annotated[union, Discriminator(tag, custom_error_type="unknown_kind", custom_error_message=known)]


# signals ------------------------------------------------------------------------------------------------------------


class Constant(Table):
    kind: Literal["constant"]
    value: float


class Polynomial(Table):
    kind: Literal["polynomial"]
    coefficients: Annotated[list[float], Field(min_length=1, max_length=6)]
    start: float = 0.0


class Ramp(Table):
    kind: Literal["ramp", "quintic"]
    a: float
    b: float
    T: float
    start: float = 0.0


class Sine(Table):
    kind: Literal["sine"]
    amplitude: float
    omega: float
    phase: float = 0.0
    start: float = 0.0


class TableSignal(Table):
    kind: Literal["table"]
    times: list[float]
    values: list[float]


class Pieces(Table):
    """(start, coefficients) of each piece: powers 0 to 5, then twice (amplitude, angular frequency, phase)."""

    kind: Literal["pieces"]
    start: Annotated[list[float], Field(min_length=1)]
    coefficients: Annotated[Matrix, Field(min_length=1)]


class Profile(Table):
    kind: Literal["squared_sine", "trapezoidal", "harmonic"]
    T: float
    ramp: float = 0.25


class Sum(Table):
    kind: Literal["sum"]
    terms: Annotated[list[Signal], Field(min_length=1, max_length=1000)]


class Lost(Table):
    """Stands in archives for a Python function, which no file can hold."""

    kind: Literal["python"]
    name: str = "?"
    rates: bool = True


_SIGNALS = dict(constant=Constant, polynomial=Polynomial, ramp=Ramp, quintic=Ramp, sine=Sine, table=TableSignal,
                pieces=Pieces, sum=Sum, squared_sine=Profile, trapezoidal=Profile, harmonic=Profile)  # fmt: skip
Signal = one_of({"number": float, **_SIGNALS}, plain="number")
Sum.model_rebuild()

# sections -----------------------------------------------------------------------------------------------------------


class FreeSection(Table):
    kind: Literal["free"] = "free"
    EA: float = 0.0
    GJ: float = 0.0
    EIy: float = 0.0
    EIz: float = 0.0
    m: float = 0.0
    Jx: float = 0.0
    Jy: float = 0.0
    Jz: float = 0.0
    Jyz: float = 0.0
    shear_y: float = 0.0
    shear_z: float = 0.0
    EIw: float = 0.0
    Jw: float = 0.0
    shape: list[str | float] = ["free"]


class _Material(Table):
    E: float
    G: float | None = None
    nu: float | None = None
    rho: float = 0.0


class Rectangle(_Material):
    kind: Literal["rectangle"]
    width: float
    height: float


class Circle(_Material):
    kind: Literal["circle"]
    diameter: float


class Tube(_Material):
    kind: Literal["tube"]
    outer: float
    inner: float


_SECTIONS = dict(free=FreeSection, rectangle=Rectangle, circle=Circle, tube=Tube)
SectionTable = one_of(_SECTIONS, default="free")
SectionOrName = one_of({"name": str, **_SECTIONS}, default="free", plain="name")
