"""Keys of a trained model run like any others, and the answer says how far they fall below random ones."""

from __future__ import annotations

import json


def test_real_keys_are_compared_with_random_keys_of_the_same_dimension(minilm, tmp_path, pavlov):
    where = [f"key_ensemble.path={minilm}", "key_ensemble.array=key", "key_ensemble.layer=2", "key_ensemble.head=5"]
    words = [
        "capacity",
        "key_ensemble=file",
        *where,
        "--trials",
        "64",
        "--no-figures",
        "--out",
        str(tmp_path),
        "--json",
    ]
    ended = pavlov(*words)
    assert ended.code == 0
    content = json.loads(ended.out)
    found = {(row["criterion"], row["key_ensemble"]): row for row in content["rows"]}
    for criterion in ("guaranteed", "mse", "sign"):
        real, random = found[criterion, "file"], found[criterion, "sphere"]
        assert real["d_k"] == random["d_k"] == 32
        # the mean absolute overlap is 0.305 against 0.142, so real keys hold fewer than half of what random keys hold
        assert real["capacity"] < 0.7 * random["capacity"]
        assert real["predicted_capacity"] is None
    assert "% below" in content["answer"]
