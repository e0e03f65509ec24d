"""Words and types of fields that nodes share, each said once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from .ui import Scalar, Ui, Words

LongText = Annotated[str, Ui("textarea", options={"rows": 3})]
JsonText = Annotated[object, Ui("json")]
"""A value, or its JSON as text."""
JavaScript = Annotated[str, Ui("code", options={"language": "javascript"})]
Python = Annotated[str, Ui("code", options={"language": "python"})]
Rhai = Annotated[str, Ui("code", options={"language": "rhai"})]
Sql = Annotated[str, Ui("code", options={"language": "sql"})]
Html = Annotated[str, Ui("code", options={"language": "html"})]

Choices: TypeAlias = Mapping[Scalar, Words]
METHODS: Choices = {name: name for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")}
GENERIC_CREDENTIALS: Choices = {
    "httpBasicAuth": "Basic auth",
    "httpBearerAuth": "Bearer token",
    "httpCustomAuth": "Custom auth",
    "httpDigestAuth": "Digest auth",
    "httpHeaderAuth": "Header auth",
    "httpQueryAuth": "Query auth",
    "oAuth1Api": "OAuth1",
    "oAuth2Api": "OAuth2",
}
AUTHENTICATION: Choices = {
    "none": "None",
    "predefinedCredentialType": ("Credential of a service", "The kind of credential that the service's own nodes use."),
    "genericCredentialType": ("Generic credential", "Basic, header, query, OAuth and other general kinds."),
}
SCHEMA_TYPES: Choices = {
    "fromJson": ("From an example", "The schema is made from an example of the JSON."),
    "manual": ("JSON Schema", "You write the schema."),
}

SHARED: Mapping[str, Words] = {
    "additionalFields": ("More fields", ""),
    "additionalOptions": "More options",
    "allowUnauthorizedCerts": ("Ignore TLS problems", "Accepts any certificate of the server, which is insecure."),
    "attachments": ("Attachments", "The item's file fields to attach, separated by commas."),
    "authentication": ("Authentication", "How the request proves who sends it."),
    "batching": ("Batching", "Works on several items at a time."),
    "batchSize": ("Items per batch", "How many items are worked on at a time."),
    "binaryDataKey": ("Input file field", "The item's file field to read."),
    "binaryPropertyName": ("File field", "The item's field that holds the file."),
    "builtInTools": ("Built-in tools", "Tools that the provider runs itself. Jackfield does not offer them."),
    "chunkOverlap": ("Overlap", "How many characters two neighbouring chunks share."),
    "chunkSize": ("Chunk size", "How many characters a chunk has at most."),
    "clearStore": ("Clear first", "Removes all documents before new ones are added."),
    "contextWindowLength": ("Remembered exchanges", "How many questions, with their answers, the model sees."),
    "cssSelector": ("CSS selector", "Selects the elements, such as `.price` or `#main a`."),
    "dataPropertyName": "Field name",
    "dedupeValue": "Value to compare",
    "delayBetweenBatches": ("Delay between batches", "Milliseconds to wait after each batch."),
    "destinationFieldName": "Output field",
    "destinationKey": "Output field",
    "disableDotNotation": ("Turn off dot notation", "Takes `a.b` as the name of one field, not as a path."),
    "dotNotation": ("Dot notation", "Takes `a.b` as the field `b` inside of `a`."),
    "fieldsToExclude": ("Fields to exclude", "Names of fields, separated by commas."),
    "fieldsToInclude": ("Fields to include", "Names of fields, separated by commas."),
    "frequencyPenalty": ("Frequency penalty", "From -2 to 2; higher values make the model repeat itself less."),
    "fullResponse": ("Include headers and status", "Gives the status and the headers beside the body."),
    "genericAuthType": ("Kind of credential", "The kind of the general credential that you choose below."),
    "hasOutputParser": ("Require an output format", "Lets you attach an output parser that checks the answer."),
    "includeBinary": "Include files",
    "includeInputFields": ("Include input fields", "Keeps the item's other fields."),
    "jsonSchemaExample": ("JSON example", "An example of the JSON; its keys and types become the schema."),
    "inputSchema": ("JSON Schema", "The schema that the JSON must follow."),
    "limit": ("Limit", "How many results you get at most."),
    "maxIterations": ("Most rounds", "How many requests to the model one item may take."),
    "maxOutputTokens": ("Most output tokens", "How long an answer may be, in tokens."),
    "maxRetries": ("Retries", "How often a request that failed is sent again."),
    "maxTokens": ("Most output tokens", "How long an answer may be, in tokens."),
    "maxToolsIterations": ("Most tool rounds", "How often the model may call tools for one item."),
    "maxTokensToSample": ("Most output tokens", "How long an answer may be, in tokens."),
    "method": ("Method", "The HTTP method of the request."),
    "mimeType": "MIME type",
    "needsFallback": ("Fallback model", "Adds a second model that stands in when the first one fails."),
    "nodeCredentialType": ("Kind of credential", "The service whose credential the request carries."),
    "options": "Options",
    "outputPropertyName": ("Output field", "The field for a text or a file."),
    "presencePenalty": ("Presence penalty", "From -2 to 2; higher values make the model take up new topics."),
    "promptType": ("Source of the prompt", "Where the prompt comes from."),
    "proxy": ("Proxy", "URL of an HTTP proxy, such as `http://proxy.example.com:3128`."),
    "reasoningEffort": ("Reasoning effort", "How much a reasoning model thinks before it answers."),
    "responseFormat": "Response format",
    "returnAll": ("Return all", "Gives all results, without a limit."),
    "rows": "Rows",
    "sessionIdType": ("Session", "Tells the conversations apart that are remembered."),
    "sessionKey": ("Session key", "The text that tells sessions apart, such as a user's ID."),
    "simplify": ("Simplify output", "Gives the essential fields instead of the whole answer."),
    "simplifyOutput": ("Simplify output", "Gives the essential fields instead of the whole answer."),
    "systemMessage": ("System message", "The model's instructions, before the conversation."),
    "systemPromptTemplate": ("System prompt", "The model's instructions. Parts in braces are filled in."),
    "temperature": ("Temperature", "0 gives nearly the same answer each time; higher values vary more."),
    "toolDescription": ("Description", "Tells the model what the tool does and when to use it."),
    "toolName": ("Name", "The name by which the model calls the tool."),
    "topK": ("Top K", "How many of the best candidates count."),
    "topP": ("Top P", "From 0 to 1; lower values keep to likelier words."),
    "workflowInputs": ("Workflow inputs", "Values for the fields that the workflow asks for."),
}
"""Labels and help of names that mean the same wherever n8n's documents have them. A field's own words come first."""
