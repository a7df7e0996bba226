"""Who owns the models that /v1/models lists, by which a server is known. Takes whatever a server may say."""

import msgspec


class _Model(msgspec.Struct):
    owned_by: str | None = None


class _Models(msgspec.Struct):
    data: list[_Model] | None = None


def owners(body: bytes) -> list[str]:
    """Each model's owner, if it has one; none where the answer is no such list, as a proxy's page is none."""
    try:
        listed = msgspec.json.decode(body, type=_Models)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [model.owned_by for model in listed.data or [] if model.owned_by]
