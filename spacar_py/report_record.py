"""The report of a Record: its mechanism in motion where it has one, its curves, its table."""

from __future__ import annotations

import html

import numpy as np

from .record import Record
from .report import _part, _table
from .report_curves import DASH, line

HIDE = "main section:first-of-type { display: none; }\n"
DRAWING = ".drawing svg { width: 100%; height: auto; }\n"


def record_page(record: Record) -> dict:
    """Title, subtitle, style, data and tables for the page of a record."""
    shows, extent, style = [], [[0.0] * 3, [1.0] * 3], HIDE
    if len(record.t) and record.lines:
        parts = {k: _part(v) for k, v in record.lines.items()}
        every = np.concatenate([np.asarray(v).reshape(-1, 3) for v in record.lines.values()])
        extent, style = [every.min(0).tolist(), every.max(0).tolist()], ""
        shows = [dict(label=record.kind, t=(record.t - record.t[0]).tolist(), parts=parts)]
        flat = bool(np.ptp(every[:, 2]) < 1e-9)
    else:
        shows, flat = [dict(label=record.kind, t=[0.0], parts={})], False
    curves = [
        dict(title=title, x=f"{record.x_name} ({record.x_unit})", y=record.unit(title), log=record.is_log(title),
             lines=[line(record.x, v, n, k, DASH[k // 8 % 4]) for k, (n, v) in enumerate(record.curves(title))])
        for title in record.pictures
    ]  # fmt: skip
    data = dict(shows=shows, curves=curves, extent=extent, planar=flat)
    tables = []
    if record.rows:
        heads = list(dict.fromkeys(k for r in record.rows for k in r))
        tables.append(_table("Table", heads, [[r.get(h) for h in heads] for r in record.rows]))
    for title, svg in record.drawings.items():
        tables.insert(0, f'<section><h2>{html.escape(title)}</h2><div class="wide drawing">{svg}</div></section>')
    if record.text:
        tables.append(f"<section><h2>Model</h2><pre>{html.escape(record.text)}</pre></section>")
    plain = {k: v for k, v in record.info.items() if isinstance(v, (bool, int, float, str))}
    if plain:
        tables.append(_table("Settings and effort", list(plain), [list(plain.values())]))
    subtitle = f"{record.kind}; {len(record.series)} series, {len(record.x)} points"
    return dict(title=record.title, subtitle=subtitle, style=style + DRAWING, data=data, tables=tables)
