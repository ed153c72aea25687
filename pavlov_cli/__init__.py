"""How many associations does an attention memory hold, and does theory know?

From Python: ``load`` reads a stored run as DataFrames, ``run`` measures one.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pavlov_cli.api import load, run

__all__ = ["load", "run"]


def __getattr__(name: str) -> Any:
    """Loads the API on first use: the command line imports this package too, and must start fast."""
    if name in __all__:
        from pavlov_cli import api

        return getattr(api, name)
    raise AttributeError(f"module 'pavlov_cli' has no attribute '{name}'")
