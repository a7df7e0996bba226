"""Whether an Ollama answers on its usual port, so that the page can say how to connect it."""

import asyncio

_REQUEST = b"GET /api/version HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"


async def find_ollama(host: str = "127.0.0.1", port: int = 11434) -> str:
    """The OPENAI_BASE_URL that would connect it, or an empty string."""
    try:
        async with asyncio.timeout(0.5):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(_REQUEST)
            reply = await reader.read(2_048)
            writer.close()
    except (OSError, TimeoutError):
        return ""
    return f"http://{host}:{port}/v1" if b'"version"' in reply else ""
