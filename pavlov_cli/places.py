"""Where is kept what is neither code nor a result?"""

from __future__ import annotations

import os
import re
from pathlib import Path

_COMPILED = re.compile(r"xla-[\w.+-]+-[0-9a-f]{12}")


def cache_root() -> Path:
    """Where compiled programs are kept: ``PAVLOV_CACHE_DIR``, else the user's cache folder."""
    named = os.environ.get("PAVLOV_CACHE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pavlov"


def compiled_folders() -> list[Path]:
    """Folders of compiled programs, one per version of the compiler and type of processor; nothing else is one."""
    root = cache_root()
    try:
        found = [path for path in root.iterdir() if _COMPILED.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())
