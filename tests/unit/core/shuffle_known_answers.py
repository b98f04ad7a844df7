"""Compute the known answers of casino-shuffle/1 without the service's code, from the words of ``Seed.shuffled`` alone.

Run it to write shuffle_known_answers.json anew: ``python tests/unit/core/shuffle_known_answers.py``.
"""

import hashlib
import hmac
import json
from pathlib import Path

CASES = [
    {
        "round_id": "00000000-0000-4000-8000-000000000001",
        "server_seed": "00" * 32,
        "client_seeds": [""],
        "number": 0,
        "items": 52,
    },
    {
        "round_id": "7f0c2b9e-5f0e-4f7e-9c41-1a2b3c4d5e6f",
        "server_seed": bytes(range(32)).hex(),
        "client_seeds": ["lucky | 100%", "", "тройка"],
        "number": 7,
        "items": 54,
    },
    {
        "round_id": "ffffffff-ffff-4fff-bfff-ffffffffffff",
        "server_seed": "f" * 64,
        "client_seeds": ["a", "b"],
        "number": 31,
        "items": 300_000,
    },
]


def numbers(key: bytes, message: str):
    block = 0
    while True:
        stream = hmac.new(key, f"{message}|{block}".encode(), "sha256").digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(stream[start : start + 4], "big")
        block += 1


def answer(case: dict) -> dict:
    seeds = [seed.translate({ord("%"): "%25", ord("|"): "%7C"}) for seed in case["client_seeds"]]
    stream = numbers(bytes.fromhex(case["server_seed"]), "|".join([case["round_id"], *seeds, str(case["number"])]))
    items, discarded = list(range(case["items"])), 0
    for i in reversed(range(1, len(items))):
        m = i + 1
        x = next(stream)
        while x >= 2**32 - (2**32 % m):
            x, discarded = next(stream), discarded + 1
        j = x % m
        items[i], items[j] = items[j], items[i]
    text = ",".join(map(str, items))
    return {**case, "first": items[:60], "sha256_of_all": hashlib.sha256(text.encode()).hexdigest(), "words_discarded": discarded}


if __name__ == "__main__":
    text = json.dumps([answer(case) for case in CASES], ensure_ascii=False, indent=1)
    Path(__file__).with_suffix(".json").write_text(text + "\n", encoding="utf-8")
