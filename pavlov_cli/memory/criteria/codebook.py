"""How often is a readout decoded to the wrong entry of a fixed codebook?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Array, Int

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Codebook(Criterion):
    """Wrong codebook entry: another entry has an inner product with the readout at least as large.

    Values are drawn with replacement from the codebook, as tokens are from a vocabulary, so n may exceed its size; a
    stored item whose value equals the target is no distractor.

    Attributes:
        codebook_size: number of entries V, >= 2; of value ensembles with an alphabet of their own, that alphabet's.

    Source: decoding by the unembedding of a language model; arXiv 2508.08289 (2025) for the setting.
    """

    codebook_size: int = 1024

    reads: ClassVar[str] = "distractors"
    counted: ClassVar[bool] = True
    pool: ClassVar[str] = "alphabet"

    def lost(self, rivals: Int[Array, " m"]) -> Int[Array, " m"]:
        """1 where any other entry wins or ties."""
        return (rivals >= 1).astype(rivals.dtype)


ENTRY = Codebook
