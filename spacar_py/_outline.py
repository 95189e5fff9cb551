"""Kernels that others call by address, so that the compiler sees each of them once.

Numba translates all that a function calls anew with every function above it: the position of a mechanism would be
compiled again for every integrator, every tangent and every evaluation. An outlined kernel is compiled alone; what
calls it only reads its address from the work space, `w.fn`. It takes the work space as `w`, returns a status, and has
a place in SLOTS that never depends on the order of imports, since compiled callers remember it on disk.
"""

from __future__ import annotations

import inspect

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from ._jit import kernel

SLOTS = (
    "values", "derivatives", "position", "velocities", "balance", "accelerate", "reactions", "control",
    "tangent",
)  # fmt: skip
ADDRESSES = {"f": np.zeros(len(SLOTS), np.int64), "c": np.zeros(len(SLOTS), np.int64)}
_waiting = {"f": [], "c": []}  # (slot, compiled function, signature) without an address so far


@intrinsic
def _call(typing, address, arguments):
    """Call of the function at an address with a tuple of arguments, by numba's own convention."""

    def code(context, builder, signature, values):
        kinds = list(signature.args[1].types)
        function = context.call_conv.get_function_type(types.int64, kinds)
        pointer = builder.inttoptr(values[0], function.as_pointer())
        unpacked = cgutils.unpack_tuple(builder, values[1])
        _, status = context.call_conv.call_function(builder, pointer, types.int64, kinds, unpacked)
        return status

    return types.int64(types.int64, arguments), code


def _check(name, signature, found):
    """Refuse arrays that are not as declared: the address would be called with the wrong arguments."""
    for code, kind in zip(signature, found, strict=True):
        if isinstance(code, str) and code[1:] not in ("", "0"):
            if not isinstance(kind, types.Array) or (kind.ndim, kind.layout) != (int(code[1]), "C"):
                raise TypingError(f"{name}: wants a contiguous array of {code[1]} dimensions, got {kind}")


def outlined(*signature, numbers="fc"):
    """Decorator of a kernel that is called by address.

    signature: for each argument "t" (tables), "w" (work space), "f0" or "i0" (a float, an integer), "n1" (an array of
    the work space's own number type and so many dimensions), or a type of numba. numbers: of which work spaces, real
    (f) and complex (c).
    """

    def decorate(function):
        name, slot = function.__name__, SLOTS.index(function.__name__)
        compiled = kernel(function)
        for number in numbers:
            _waiting[number].append((slot, compiled, signature))
        each = list(inspect.signature(function).parameters)
        names, cast = ", ".join(each), {"f0": "float64({})", "i0": "int64({})"}
        given = ", ".join(cast.get(str(code), "{}").format(n) for n, code in zip(each, signature, strict=True))
        text = f"def {name}({names}):\n    return compiled({given})\n"
        text += f"def typed({names}):\n    check(name, signature, ({names}))\n    return called\n"
        text += f"def called({names}):\n    return call(w.fn[slot], ({given}))\n"
        space = {"compiled": compiled, "call": _call, "slot": slot, "float64": np.float64, "int64": np.int64}
        space.update(check=_check, name=name, signature=signature, __name__=function.__module__)
        exec(compile(text, __file__, "exec"), space)  # our own names, no user text
        stub = space[name]
        stub.__doc__, stub.py_func = function.__doc__, function
        overload(stub, inline="always")(space["typed"])
        return stub

    return decorate


def ready(number: str, structs: dict) -> None:
    """Compile (or fetch from the disk) the outlined kernels imported so far and note their addresses."""
    numbers = {"f": types.float64, "c": types.complex128, "i": types.int64}

    def kind(code):
        if not isinstance(code, str):
            return code
        if code in structs:
            return structs[code]
        scalar = numbers[number] if code[0] == "n" else numbers[code[0]]
        return scalar if code[1] == "0" else types.Array(scalar, int(code[1]), "C")

    while _waiting[number]:
        slot, compiled, signature = _waiting[number][0]
        wanted = tuple(kind(code) for code in signature)
        compiled.compile(wanted)
        found = compiled.overloads[wanted]
        ADDRESSES[number][slot] = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
        _waiting[number].pop(0)
