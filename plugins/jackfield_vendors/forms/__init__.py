"""Forms of services, as n8n shows them: from the operations, the templates that read parameters, and words."""
