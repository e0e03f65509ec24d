"""How models of platforms show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_ai.models.form import MODEL_OPTIONS

_MODEL = Ui("text", label="Model", required=True, help="A model's ID, or an inference profile's.")

BEDROCK_EMBEDDINGS: UiFields = {"authentication": Ui("hidden"), "model": _MODEL}
BEDROCK: UiFields = {**BEDROCK_EMBEDDINGS, "modelSource": Ui("hidden")}
BEDROCK_OPTIONS: UiFields = {
    "maxTokensToSample": Ui(label="Most output tokens"),
    "additionalModelRequestFields": Ui(
        "json", label="Further fields", help="Members of the request that only this model has."
    ),
    "latency": Ui(choices={"standard": "Standard", "optimized": "Optimized"}, help="Optimized answers sooner."),
    "guardrail": Ui(help="A guardrail of Bedrock that requests and answers have to pass."),
    "timeout": Ui(label="Timeout (ms)", help="How long a request may take, in milliseconds."),
}
GUARDRAIL: UiFields = {
    "guardrailIdentifier": Ui(label="Guardrail", help="The guardrail's ID or ARN."),
    "guardrailVersion": Ui(label="Version", help="A number, or DRAFT."),
    "trace": Ui(choices={"": "None", "enabled": "Enabled", "enabled_full": "Full", "disabled": "Disabled"}),
    "streamProcessingMode": Ui("hidden"),
}
VERTEX: UiFields = {
    "projectId": Ui("text", label="Project", required=True, help="The ID of the project in Google Cloud."),
    "modelName": Ui(label="Model", help="The model's name."),
    "location": Ui(
        label="Region", placeholder="europe-west4", help="Where the model runs; empty for the credential's."
    ),
}
VERTEX_OPTIONS: UiFields = {
    **MODEL_OPTIONS,
    "thinkingBudget": Ui(label="Thinking tokens", help="How many tokens the model may think."),
}
HUGGING_FACE: UiFields = {
    "modelName": Ui(label="Model", help="The model's name."),
    "model": Ui("text", label="Model", help="The model's name."),
}
HUGGING_FACE_OPTIONS: UiFields = {
    "endpointUrl": Ui(label="Own endpoint", placeholder="https://x.endpoints.huggingface.cloud"),
    "provider": Ui(choices={"auto": "Automatic", "hf-inference": "HF Inference"}, help="The one who runs the model."),
    "maxTokens": Ui(label="Most output tokens"),
}
