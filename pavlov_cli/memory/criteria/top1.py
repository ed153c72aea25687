"""How often does another stored value score at least as high as the right one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Array, Int

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Top1(Criterion):
    """Wrong nearest value: another stored value has an inner product with the readout at least as large.

    The own score comes from the same product as the distractors', so that equal values tie exactly, and a tie is an
    error.

    Source: arXiv 2508.08289 (2025); Barnfield et al. (arXiv 2605.05189) for the threshold d_k d_v = 2 n ln n.
    """

    reads: ClassVar[str] = "distractors"
    counted: ClassVar[bool] = True

    def lost(self, rivals: Int[Array, " m"]) -> Int[Array, " m"]:
        """1 where any distractor wins or ties."""
        return (rivals >= 1).astype(rivals.dtype)


ENTRY = Top1
