"""The one place where functions are handed to numba, with a disk cache that cannot go stale.

Numba forgets to recompile a cached function when only a function that it calls has changed. The cache therefore lives
in a folder whose name is a digest of all kernel sources: any edit starts a new folder, old ones are swept away.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

import numba

_KEEP_DAYS = 30


def _sources_digest() -> str:
    root = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {root}".encode())  # numba keeps each place's kernels apart too
    for path in sorted(root.rglob("*.py")):
        text = path.read_bytes()
        if b"_jit import" in text or b"numba" in text:
            digest.update(str(path.relative_to(root)).encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    base = os.environ.get("SPACAR_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "spacar_py"


def _sweep(root: Path, keep: Path) -> None:
    limit = time.time() - _KEEP_DAYS * 86400
    for old in root.iterdir():
        if old != keep and old.is_dir() and old.stat().st_mtime < limit:
            shutil.rmtree(old, ignore_errors=True)


def cache_folder() -> Path:
    """Folder of the compiled kernels of exactly these sources."""
    for root in (_cache_root(), Path(tempfile.gettempdir()) / "spacar_py"):
        folder = root / _sources_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                _sweep(root, folder)
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="spacar_py"))


CACHE = cache_folder()


def is_cold() -> bool:
    """Whether nothing has been compiled yet, so that the first run has to wait for the compiler."""
    return next(CACHE.rglob("*.nbi"), None) is None


def kernel(function, inline="never", nogil=False):
    """Compile a module-level function when it is first called, and keep it on disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        options = dict(cache=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})
        return numba.njit(inline=inline, nogil=nogil, **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def inlined(function):
    """A kernel that becomes part of its callers.

    Numba translates all that a function calls anew with every function above it: a thin layer costs as much as what is
    below it. Layers that only call others are therefore no functions of their own.
    """
    return kernel(function, "always")


def unlocked(function):
    """A kernel that other threads need not wait for: it lets go of Python's lock while it runs."""
    return kernel(function, nogil=True)
