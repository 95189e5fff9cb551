"""Names of a package that are loaded when they are first used, so that importing it takes no time."""

from __future__ import annotations

from importlib import import_module


def lazy(package: str, homes: dict[str, str], also: tuple[str, ...] = ()):
    """(__getattr__, __dir__, __all__) of a package whose public names live in the modules `homes`."""

    def getattr_(name: str):
        if name in homes:
            return getattr(import_module(f".{homes[name]}", package), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    names = [*also, *homes]
    return getattr_, lambda: sorted(names), names
