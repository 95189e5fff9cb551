"""Study archives: one HDF5 file, and beside it, while a batch runs, one small file for each finished run.

A part is written to a temporary name and renamed, so that it is there in full or not at all; the archive is rewritten
from the parts in the same way. A batch killed at any moment leaves an archive that opens, and the parts finished since.

    /                          format, version, digest, definition (JSON), versions, complete
    /parameters/NAME           (n,)
    /methods/NAME/status, message, seconds, values/OUTPUT (n,), histories/OUTPUT (n, N[, d]) or a group of runs
"""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import numpy as np

from ..errors import InputError

FORMAT, VERSION = "spacar_py study", 1


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one piece."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{path}: the file cannot be written ({error.strerror}); check path and disk") from None
        raise


def parts_folder(path: Path) -> Path:
    """Where the finished runs wait to be merged."""
    return path.with_name(path.name + ".runs")


def write_part(folder: Path, digest: str, run: int, rows: list[dict]) -> None:
    """Rows of one run."""
    arrays, told = {}, []
    for i, row in enumerate(rows):
        arrays.update({f"{i}/{k}": v for k, v in row["histories"].items()})
        told.append({**row, "histories": list(row["histories"])})
    arrays["meta"] = np.frombuffer(json.dumps(dict(digest=digest, run=run, rows=told)).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    replace_file(folder / f"{run:06d}.npz", buffer.getvalue())


def read_parts(folder: Path, digest: str) -> dict[int, list[dict]]:
    """Rows of all runs that have a part of this study; half-written leftovers do not count."""
    found = {}
    for file in sorted(folder.glob("[0-9]*.npz")) if folder.is_dir() else ():
        try:
            with np.load(file) as part:
                meta = json.loads(part["meta"].tobytes())
                if meta["digest"] != digest:
                    continue
                for i, row in enumerate(meta["rows"]):
                    row["histories"] = {k: part[f"{i}/{k}"] for k in row["histories"]}
        except Exception:  # a damaged file can raise anything; its run is done again
            continue
        found[meta["run"]] = meta["rows"]
    return found


def write_archive(path: Path, head: dict, points: list[dict], rows: dict[int, list[dict]]) -> None:
    """The whole archive, in one piece; the same rows give the same data in the same order."""
    from ..archive_write import writing

    with writing(path) as h:
        h.attrs.update({"format": FORMAT, "version": VERSION, **head, "complete": len(rows) == len(points)})
        _parameters(h.create_group("parameters"), points)
        definition = json.loads(head["definition"])
        for method in definition["methods"]:
            g = h.create_group(f"methods/{method}")
            g.attrs["settings"] = json.dumps(definition["methods"][method])
            of = {run: r for run, all_ in sorted(rows.items()) for r in all_ if r["method"] == method}
            _method(g, of, len(points), definition["outputs"])


def _parameters(group, points):
    import h5py

    for name in dict.fromkeys(k for p in points for k in p):
        column = [p.get(name) for p in points]
        if all(v is None or isinstance(v, (int, float)) and not isinstance(v, bool) for v in column):
            group[name] = np.array([np.nan if v is None else v for v in column], float)
        else:
            group.create_dataset(name, data=[json.dumps(v) for v in column], dtype=h5py.string_dtype())


def _method(group, of, n, outputs):
    import h5py

    from .outputs import unit_of

    text = h5py.string_dtype()
    group.create_dataset("status", data=[of[i]["status"] if i in of else "missing" for i in range(n)], dtype=text)
    group.create_dataset("message", data=[of[i]["message"] if i in of else "" for i in range(n)], dtype=text)
    group["seconds"] = np.array([of[i]["seconds"] if i in of else np.nan for i in range(n)])
    group["seconds"].attrs["unit"] = "s"
    values, histories = group.create_group("values"), group.create_group("histories")
    for key in sorted({k for r in of.values() for k in r["values"]}):
        values[key] = np.array([of[i]["values"].get(key, np.nan) if i in of else np.nan for i in range(n)])
        values[key].attrs["unit"] = unit_of(outputs.get(key.rsplit(".", 1)[0], outputs.get(key, "")) or "")
    for key in sorted({k for r in of.values() for k in r["histories"]}):
        have = {i: np.asarray(r["histories"][key], float) for i, r in of.items() if key in r["histories"]}
        shapes = {v.shape for v in have.values()}
        if len(shapes) == 1:
            block = np.full((n, *shapes.pop()), np.nan)
            for i, v in have.items():
                block[i] = v
            histories.create_dataset(key, data=block, compression="gzip", shuffle=True)
        else:
            for i, v in have.items():
                histories.create_dataset(f"{key}/{i:06d}", data=v, compression="gzip", shuffle=True)


def read_archive(path: Path) -> tuple[dict, dict[int, list[dict]]]:
    """Attributes and rows of an archive."""
    import h5py

    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the path")
    try:
        h = h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path}: cannot be read as a study archive: {error}") from None
    try:
        with h:
            head = dict(h.attrs)
            _recognise(head, path)
            return head, _rows(h, head)
    except InputError:
        raise
    except Exception as error:  # a damaged file can raise anything
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path}: the study archive is damaged ({why}); remove it, or take a copy") from None


def _recognise(head: dict, path: Path) -> None:
    if head.get("format") != FORMAT:
        raise InputError(f"{path}: is not a study archive, its format is {head.get('format')!r}")
    if head["version"] > VERSION:
        raise InputError(f"{path}: has version {head['version']}, this program knows {VERSION}; update spacar_py")


def _rows(h, head: dict) -> dict[int, list[dict]]:
    rows: dict[int, list[dict]] = {}
    for method in json.loads(head["definition"])["methods"]:
        g = h[f"methods/{method}"]
        status, message, seconds = g["status"].asstr()[:], g["message"].asstr()[:], g["seconds"][:]
        values = {k: v[:] for k, v in g["values"].items()}
        for i in np.flatnonzero(status != "missing"):
            ok = status[i] == "ok"
            kept = {k: _history(item, i) for k, item in g["histories"].items()} if ok else {}
            rows.setdefault(int(i), []).append(dict(
                method=method, status=str(status[i]), message=str(message[i]), seconds=float(seconds[i]),
                values={k: float(v[i]) for k, v in values.items()} if ok else {},
                histories={k: v for k, v in kept.items() if v is not None},
            ))  # fmt: skip
    return rows


def _history(item, run):
    import h5py

    if isinstance(item, h5py.Dataset):
        return item[run]
    return item[f"{run:06d}"][:] if f"{run:06d}" in item else None


def sweep_parts(path: Path) -> None:
    """Remove the parts once all of them are in the archive."""
    shutil.rmtree(parts_folder(path), ignore_errors=True)
