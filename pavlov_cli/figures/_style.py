"""How do all figures look, and why do two runs write the same bytes?"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

# Okabe and Ito (2008): told apart by colour-blind readers and in print; each colour also has its marker.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SETTINGS: Any = {
    "svg.hashsalt": "pavlov",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 150,
    "savefig.dpi": 200,
}
# no dates and no versions: equal tables give equal files
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def literal(text: str) -> str:
    """The text as matplotlib draws it unchanged: a file's name may hold ``$``, which would start a formula."""
    return text.replace("$", r"\$")


def save(figure: Any, stem: Path) -> list[Path]:
    """Writes PNG, SVG and PDF beside each other, each only where its bytes changed.

    Args:
        figure: a matplotlib figure.
        stem: path without suffix.

    Returns:
        The three paths.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for form, metadata in _METADATA.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, metadata=metadata)
        path = stem.with_suffix(f".{form}")
        if not path.is_file() or path.read_bytes() != buffer.getvalue():
            path.write_bytes(buffer.getvalue())
        paths.append(path)
    return paths
