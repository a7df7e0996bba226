"""Vectors from an OpenAI-compatible `/v1/embeddings` endpoint. Knows nothing of where vectors are kept."""

import math
from collections.abc import Sequence

from openai import APIConnectionError, APIStatusError, AsyncOpenAI, OpenAIError

from app.embedding.protocol import Vector
from app.errors import TurnError

BATCH = 64  # texts in one request; common servers refuse more than a few hundred
TIMEOUT = 30.0  # seconds for one request


class EndpointEmbedder:
    """`base_url` ends with the API's version, e.g. http://localhost:11434/v1; empty means OpenAI itself."""

    def __init__(self, *, model: str, base_url: str = "", api_key: str = "") -> None:
        self._model = model
        self._client = AsyncOpenAI(
            base_url=base_url or "https://api.openai.com/v1",
            api_key=api_key or "none",  # local servers take any key, the SDK refuses none at all
            timeout=TIMEOUT,
            max_retries=2,
        )

    @property
    def name(self) -> str:
        return self._model

    async def query(self, text: str) -> Vector:
        return (await self._embed([text]))[0]

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += await self._embed(texts[start : start + BATCH])
        return vectors

    async def warm(self) -> None:
        """Opens the connection before the first question; a server that is down may come up later."""
        try:
            await self.query("ready")
        except TurnError:
            return

    async def close(self) -> None:
        await self._client.close()

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        try:
            # "float" because not every compatible server knows the SDK's default, base64
            reply = await self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
            vectors = [_normalise(item.embedding) for item in sorted(reply.data, key=lambda item: item.index)]
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise TurnError("retrieval_failed", self._explain(error)) from error
        if len(vectors) != len(texts):
            what = f"The embedding server gave {len(vectors)} vectors for {len(texts)} texts."
            raise TurnError("retrieval_failed", what)
        return vectors

    def _explain(self, error: Exception) -> str:
        where = f"The embedding server at {self._client.base_url}"
        match error:
            case APIStatusError():
                return f"{where} refused model {self._model} with status {error.status_code}."
            case APIConnectionError():
                return f"{where} does not answer."
        return f"{where} sent something that is not an embedding."


def _normalise(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    if not length:
        raise ValueError("a vector of length 0")
    return [x / length for x in vector]
