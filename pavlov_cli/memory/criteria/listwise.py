"""How often is the right value not among the k best-scoring ones?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Array, Int

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Listwise(Criterion):
    """Right value missing from a list of k: at least k other stored values score at least as high.

    At k = 1 this is ``top1``.

    Attributes:
        k: length of the list, >= 1.

    Source: recall at k; arXiv 2605.05189 for listwise retrieval of a linear memory.
    """

    k: int = 5

    reads: ClassVar[str] = "distractors"
    counted: ClassVar[bool] = True

    def lost(self, rivals: Int[Array, " m"]) -> Int[Array, " m"]:
        """1 where at least k distractors win or tie."""
        return (rivals >= self.k).astype(rivals.dtype)


ENTRY = Listwise
