"""Credentials of model providers, with n8n's names and fields: exported workflows keep theirs."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.credentials import CredentialField, CredentialKind, Placement, Probe, Sign, Signing
from jackfield.api.http_client import HttpCall
from jackfield.api.records import replace

_KEY = CredentialField("apiKey", "API key", secret=True, required=True)


def _url(default: str, name: str = "url") -> CredentialField:
    return CredentialField(
        name, "Base URL", default=default, type="url", description="Of the provider, or of a server that speaks alike."
    )


def _bearer(name: str, title: str, url: str) -> CredentialKind:
    return CredentialKind(
        name,
        title,
        (_KEY, _url(url)),
        Placement(headers={"Authorization": "Bearer {apiKey}"}),
        Probe("{url}", path="/models"),
    )


def _open_ai(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """The key, the organisation, and one header more."""
    headers = [("Authorization", f"Bearer {values['apiKey']}")]
    if values.get("organizationId"):
        headers.append(("OpenAI-Organization", values["organizationId"]))
    secrets = [values["apiKey"]]
    if values.get("header") == "true" and values.get("headerName"):
        headers.append((values["headerName"], values.get("headerValue", "")))
        secrets.append(values.get("headerValue", ""))
    return _signed(call, headers, secrets)


def _optional_key(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    key = values.get("apiKey", "")
    return _signed(call, [("Authorization", f"Bearer {key}")], [key]) if key else call


def _optional_header(name: str, field: str) -> Sign:
    """Puts a field into a header, when it has a value."""

    def sign(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
        value = values.get(field, "")
        return _signed(call, [(name, value)], [value]) if value else call

    return sign


def _weaviate(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    key = values.get("weaviate_api_key", "")
    return _signed(call, [("Authorization", f"Bearer {key}")], [key]) if key else call


def _milvus(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """User and password, or without a user a token."""
    user, password = values.get("username", ""), values.get("password", "")
    token = f"{user}:{password}" if user else password
    return _signed(call, [("Authorization", f"Bearer {token}")], [token, password]) if token else call


def _chroma(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """The way of signing in that the credential names."""
    match values.get("authentication"):
        case "apiKey" if values.get("apiKey"):
            return _signed(call, [("Authorization", f"Bearer {values['apiKey']}")], [values["apiKey"]])
        case "token" if values.get("token"):
            return _signed(call, [("X-Chroma-Token", values["token"])], [values["token"]])
    return call


def _signed(call: HttpCall, headers: list[tuple[str, str]], secrets: list[str]) -> HttpCall:
    names = frozenset(name.lower() for name, _ in headers)
    return replace(
        call,
        headers=[*(pair for pair in call.headers if pair[0].lower() not in names), *headers],
        secrets=[*call.secrets, *(secret for secret in secrets if secret)],
        secret_headers=call.secret_headers | names,
    )


KINDS = (
    CredentialKind(
        "openAiApi",
        "OpenAI",
        (
            _KEY,
            CredentialField("organizationId", "Organisation"),
            _url("https://api.openai.com/v1"),
            CredentialField("header", "Add a header", type="boolean", default="false"),
            CredentialField("headerName", "Name of the header"),
            CredentialField("headerValue", "Value of the header", secret=True),
        ),
        Signing(_open_ai),
        Probe("{url}", path="/models"),
    ),
    CredentialKind(
        "anthropicApi",
        "Anthropic",
        (_KEY, _url("https://api.anthropic.com")),
        Placement(headers={"x-api-key": "{apiKey}"}),
        Probe("{url}", headers={"anthropic-version": "2023-06-01"}, path="/v1/models"),
    ),
    CredentialKind(
        "googlePalmApi",
        "Google Gemini",
        (_KEY, _url("https://generativelanguage.googleapis.com", "host")),
        Placement(headers={"x-goog-api-key": "{apiKey}"}),
        Probe("{host}", path="/v1beta/models"),
    ),
    CredentialKind(
        "azureOpenAiApi",
        "Azure OpenAI",
        (
            _KEY,
            CredentialField("resourceName", "Resource", description="The name before .openai.azure.com."),
            CredentialField("apiVersion", "API version", default="2025-03-01-preview"),
            CredentialField("endpoint", "Endpoint", type="url", description="Instead of the resource's own."),
        ),
        Placement(headers={"api-key": "{apiKey}"}),
    ),
    CredentialKind(
        "ollamaApi",
        "Ollama",
        (
            _url("http://localhost:11434", "baseUrl"),
            CredentialField("apiKey", "API key", secret=True, description="For a server that asks for one."),
        ),
        Signing(_optional_key),
        Probe("{baseUrl}", path="/api/tags"),
    ),
    CredentialKind(
        "qdrantApi",
        "Qdrant",
        (
            CredentialField("apiKey", "API key", secret=True, description="For a server that asks for one."),
            CredentialField(
                "qdrantUrl", "Address", required=True, type="url", description="Such as https://host:6333."
            ),
        ),
        Signing(_optional_header("api-key", "apiKey")),
        Probe("{qdrantUrl}", path="/collections"),
    ),
    CredentialKind(
        "pineconeApi",
        "Pinecone",
        (_KEY, _url("https://api.pinecone.io")),
        Placement(headers={"Api-Key": "{apiKey}"}),
        Probe("{url}", path="/indexes"),
    ),
    CredentialKind(
        "chromaSelfHostedApi",
        "Chroma",
        (
            _url("http://localhost:8000", "baseUrl"),
            CredentialField("authentication", "Authentication", default="none", choices=("none", "apiKey", "token")),
            CredentialField("apiKey", "API key", secret=True),
            CredentialField("token", "Token", secret=True),
        ),
        Signing(_chroma),
        Probe("{baseUrl}", path="/api/v2/heartbeat"),
    ),
    CredentialKind(
        "chromaCloudApi",
        "Chroma Cloud",
        (
            _KEY,
            CredentialField("tenant", "Tenant", description="Empty: the key's own."),
            CredentialField("database", "Database", description="Empty: the key's own."),
            _url("https://api.trychroma.com", "baseUrl"),
        ),
        Placement(headers={"x-chroma-token": "{apiKey}"}),
        Probe("{baseUrl}", path="/api/v2/auth/identity"),
    ),
    CredentialKind(
        "weaviateApi",
        "Weaviate",
        (
            CredentialField(
                "connection_type", "Server", default="weaviate_cloud", choices=("weaviate_cloud", "custom_connection")
            ),
            CredentialField("weaviate_cloud_endpoint", "Address in Weaviate Cloud"),
            CredentialField("weaviate_api_key", "API key", secret=True),
            CredentialField("custom_connection_http_host", "Host of your own", default="weaviate"),
            CredentialField("custom_connection_http_port", "Its port", default="8080"),
            CredentialField("custom_connection_http_secure", "With TLS", default="false", type="boolean"),
            CredentialField("custom_connection_grpc_host", "Host of gRPC", description="Not used."),
            CredentialField("custom_connection_grpc_port", "Port of gRPC", description="Not used."),
            CredentialField("custom_connection_grpc_secure", "gRPC with TLS", type="boolean", description="Not used."),
        ),
        Signing(_weaviate),
    ),
    CredentialKind(
        "milvusApi",
        "Milvus",
        (
            _url("http://localhost:19530", "baseUrl"),
            CredentialField("username", "User"),
            CredentialField("password", "Password", secret=True),
        ),
        Signing(_milvus),
    ),
    CredentialKind(
        "cohereApi",
        "Cohere",
        (_KEY, _url("https://api.cohere.com")),
        Placement(headers={"Authorization": "Bearer {apiKey}"}),
        Probe("{url}", path="/v1/models"),
    ),
    CredentialKind(
        "wolframAlphaApi",
        "Wolfram|Alpha",
        (CredentialField("appId", "App ID", secret=True, required=True),),
        Placement(query={"appid": "{appId}"}),
    ),
    CredentialKind(
        "searXngApi",
        "SearXNG",
        (
            CredentialField(
                "apiUrl", "Address", required=True, type="url", description="It must allow the format json."
            ),
        ),
        Placement(),
    ),
    CredentialKind(
        "huggingFaceApi",
        "Hugging Face",
        (_KEY, _url("https://router.huggingface.co")),
        Placement(headers={"Authorization": "Bearer {apiKey}"}),
        Probe("https://huggingface.co/api/whoami-v2"),
    ),
    _bearer("openRouterApi", "OpenRouter", "https://openrouter.ai/api/v1"),
    _bearer("groqApi", "Groq", "https://api.groq.com/openai/v1"),
    _bearer("mistralCloudApi", "Mistral", "https://api.mistral.ai/v1"),
    _bearer("deepSeekApi", "DeepSeek", "https://api.deepseek.com"),
    _bearer("xAiApi", "xAI", "https://api.x.ai/v1"),
)
