"""The providers: for each, its library's model with our address, key and timeouts."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.models import Model, create_async_httpx2_client
from pydantic_ai.profiles.openai import OpenAIModelProfile

from memory.llm.choose import Connection

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434/v1"
CONNECT_S = 5.0
# What is never empty, so that no library looks for a key in the environment and sends it to another address.
_NO_KEY = "no-key"
# A stream that ends without its reason was cut, whatever the connection says.
_WHOLE = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
# Many chat templates of open models refuse a second system message; the blocks in it keep their own tags.
_OWN_SERVER = OpenAIModelProfile(
    openai_chat_streaming_requires_finish_reason=True,
    openai_chat_supports_multiple_system_messages=False,
)


def make_client(timeout_s: float) -> httpx2.AsyncClient:
    """An HTTP client for a model, for the event loop that first uses it.

    Args:
        timeout_s: the longest silence while the answer is read; connecting has its own, shorter one.
    """
    return create_async_httpx2_client(timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)))


def make_model(connection: Connection, client: httpx2.AsyncClient) -> Model:
    """A provider's model, talking over this client."""
    return _MAKERS[connection.provider](connection, client)


def _openai(connection: Connection, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    url, key = connection.base_url or OPENAI_URL, connection.key or _NO_KEY
    if urlsplit(url).hostname == urlsplit(OPENAI_URL).hostname:
        own = OpenAIProvider(base_url=url, api_key=key, http_client=client)
        return OpenAIChatModel(connection.model, provider=own, profile=_WHOLE)
    other = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=client)
    return OpenAIChatModel(connection.model, provider=other, profile=_OWN_SERVER)


def _ollama(connection: Connection, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    url = connection.base_url.rstrip("/") or OLLAMA_URL
    if not urlsplit(url).path:
        url += "/v1"  # people write the address that Ollama prints
    provider = OllamaProvider(base_url=url, api_key=connection.key or _NO_KEY, http_client=client)
    return OllamaModel(connection.model, provider=provider, profile=_OWN_SERVER)


def _anthropic(connection: Connection, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    url = connection.base_url or "https://api.anthropic.com"
    provider = AnthropicProvider(api_key=connection.key or _NO_KEY, base_url=url, http_client=client)
    return AnthropicModel(connection.model, provider=provider)


def _google(connection: Connection, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    url = connection.base_url or "https://generativelanguage.googleapis.com"
    provider = GoogleProvider(api_key=connection.key or _NO_KEY, base_url=url, http_client=client)
    return GoogleModel(connection.model, provider=provider)


def _mistral(connection: Connection, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.mistral import MistralModel
    from pydantic_ai.providers.mistral import MistralProvider

    url = connection.base_url or "https://api.mistral.ai"
    provider = MistralProvider(api_key=connection.key or _NO_KEY, base_url=url, http_client=client)
    return MistralModel(connection.model, provider=provider)


_MAKERS: dict[str, Callable[[Connection, httpx2.AsyncClient], Model]] = {
    "openai": _openai,
    "ollama": _ollama,
    "anthropic": _anthropic,
    "google": _google,
    "mistral": _mistral,
}
