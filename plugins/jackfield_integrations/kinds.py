"""The kinds of credentials that these nodes read, with n8n's names and fields: exported workflows keep theirs."""

from __future__ import annotations

from jackfield.api.credentials import CredentialField, CredentialKind, OAuth2, Placement, Probe, Signing

_HOST = CredentialField("host", "Host", required=True)
_PASSWORD = CredentialField("password", "Password", secret=True)
_AUTHORITIES = CredentialField(
    "caCertificate",
    "Certificate authorities",
    description="PEM certificates that are trusted instead of the usual authorities.",
)
_ANY_CERTIFICATE = CredentialField(
    "allowUnauthorizedCerts", "Accept any certificate", default="false", type="boolean", description="Insecure."
)
_FINGERPRINT = CredentialField(
    "hostFingerprint",
    "Host key fingerprint",
    description="The server's key as OpenSSH shows it, such as SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU.",
)
_KEY = (
    CredentialField("privateKey", "Private key", secret=True, description="In OpenSSH or PEM format."),
    CredentialField("passphrase", "Passphrase of the key", secret=True),
)


def _port(default: str) -> CredentialField:
    return CredentialField("port", "Port", default=default)


def _user(name: str = "user", default: str = "") -> CredentialField:
    return CredentialField(name, "User", default=default)


SMTP = CredentialKind(
    "smtp",
    "SMTP",
    (
        _HOST,
        _port("465"),
        _user(),
        _PASSWORD,
        CredentialField("secure", "TLS from the start", default="true", type="boolean"),
        CredentialField(
            "disableStartTls",
            "Without STARTTLS",
            default="false",
            type="boolean",
            description="Without TLS from the start: send in the clear instead of requiring STARTTLS.",
        ),
        CredentialField("hostName", "Own name", description="The client's own name (EHLO)."),
        _AUTHORITIES,
    ),
)
POSTGRES = CredentialKind(
    "postgres",
    "Postgres",
    (
        _HOST,
        _port("5432"),
        CredentialField("database", "Database", default="postgres"),
        _user(default="postgres"),
        _PASSWORD,
        CredentialField("ssl", "TLS", default="disable", choices=("disable", "allow", "require")),
        _ANY_CERTIFICATE,
        CredentialField("sshTunnel", "Through SSH", default="false", type="boolean", description="Not available."),
    ),
)
MYSQL = CredentialKind(
    "mySql",
    "MySQL",
    (
        _HOST,
        _port("3306"),
        CredentialField("database", "Database"),
        _user(default="root"),
        _PASSWORD,
        CredentialField("ssl", "TLS", default="false", type="boolean"),
        _AUTHORITIES,
        CredentialField("sshTunnel", "Through SSH", default="false", type="boolean", description="Not available."),
    ),
)
REDIS = CredentialKind(
    "redis",
    "Redis",
    (
        _HOST,
        _port("6379"),
        CredentialField("database", "Database", default="0"),
        _user(),
        _PASSWORD,
        CredentialField("ssl", "TLS", default="false", type="boolean"),
        CredentialField("disableTlsVerification", "Accept any certificate", default="false", type="boolean"),
        _AUTHORITIES,
    ),
)
MONGO_DB = CredentialKind(
    "mongoDb",
    "MongoDB",
    (
        CredentialField("configurationType", "Configuration", default="values", choices=("values", "connectionString")),
        CredentialField(
            "connectionString",
            "Connection string",
            secret=True,
            description="Such as mongodb://user:password@host:27017/?authSource=admin; it names one server.",
        ),
        CredentialField("host", "Host", default="localhost"),
        _port("27017"),
        CredentialField("database", "Database"),
        _user(),
        _PASSWORD,
        CredentialField("tls", "TLS", default="false", type="boolean"),
        CredentialField("ca", "Certificate authorities", description=_AUTHORITIES.description),
        CredentialField("cert", "Client certificate", secret=True),
        CredentialField("key", "Key of the client certificate", secret=True),
        CredentialField("passphrase", "Passphrase of the key", secret=True),
    ),
)
IMAP = CredentialKind(
    "imap",
    "IMAP",
    (
        _user(),
        _PASSWORD,
        _HOST,
        _port("993"),
        CredentialField("secure", "TLS", default="true", type="boolean"),
        _ANY_CERTIFICATE,
    ),
)
_CLIENT_CERTIFICATE = (
    CredentialField("ca", "Certificate authorities", description=_AUTHORITIES.description),
    CredentialField("cert", "Client certificate", secret=True),
    CredentialField("key", "Key of the client certificate", secret=True),
)
MQTT = CredentialKind(
    "mqtt",
    "MQTT",
    (
        CredentialField("protocol", "Protocol", default="mqtt", choices=("mqtt", "mqtts", "ws")),
        _HOST,
        _port("1883"),
        _user("username"),
        _PASSWORD,
        CredentialField(
            "clean",
            "Forget the session",
            default="true",
            type="boolean",
            description="Off: the broker keeps messages while the trigger is not connected.",
        ),
        CredentialField("clientId", "Client ID", description="One name can be connected once only."),
        CredentialField("ssl", "TLS", default="false", type="boolean"),
        CredentialField("passwordless", "Client certificate in place of a password", default="true", type="boolean"),
        CredentialField(
            "rejectUnauthorized",
            "Verify the server",
            default="false",
            type="boolean",
            description="Off: insecure, as anybody between can read and change messages.",
        ),
        *_CLIENT_CERTIFICATE,
    ),
)
RABBITMQ = CredentialKind(
    "rabbitmq",
    "RabbitMQ",
    (
        CredentialField("hostname", "Host", required=True),
        _port("5672"),
        _user("username", "guest"),
        _PASSWORD,
        CredentialField("vhost", "Virtual host", default="/"),
        CredentialField("ssl", "TLS", default="false", type="boolean"),
        CredentialField("passwordless", "Client certificate in place of a password", default="true", type="boolean"),
        *_CLIENT_CERTIFICATE,
        CredentialField("passphrase", "Passphrase of the key", secret=True),
    ),
)
KAFKA = CredentialKind(
    "kafka",
    "Kafka",
    (
        CredentialField("clientId", "Client ID", description="The name by which the brokers' logs know the client."),
        CredentialField("brokers", "Brokers", required=True, description="Such as kafka1:9092,kafka2:9092."),
        CredentialField("ssl", "TLS", default="true", type="boolean"),
        *_CLIENT_CERTIFICATE,
        _ANY_CERTIFICATE,
        CredentialField("authentication", "Sign in", default="false", type="boolean"),
        _user("username"),
        _PASSWORD,
        CredentialField(
            "saslMechanism",
            "SASL mechanism",
            default="plain",
            choices=("plain", "scram-sha-256", "scram-sha-512"),
            description="Without TLS, plain shows the password to anybody between.",
        ),
    ),
)
SCHEMA_REGISTRY = CredentialKind(
    "schemaRegistryApi",
    "Schema Registry",
    (
        CredentialField(
            "url", "URL", required=True, type="url", description="Such as https://registry.example.com:8081."
        ),
        CredentialField("authentication", "Authentication", default="basicAuth", choices=("basicAuth", "none")),
        _user("username"),
        _PASSWORD,
    ),
    Placement(basic=("{username}", "{password}")),
    Probe("{url}", path="/subjects"),
)
SSH_PASSWORD = CredentialKind(
    "sshPassword", "SSH with a password", (_HOST, _port("22"), _user("username"), _PASSWORD, _FINGERPRINT)
)
SSH_PRIVATE_KEY = CredentialKind(
    "sshPrivateKey", "SSH with a key", (_HOST, _port("22"), _user("username"), *_KEY, _FINGERPRINT)
)
FTP = CredentialKind(
    "ftp",
    "FTP",
    (
        _HOST,
        _port("21"),
        _user("username", "anonymous"),
        _PASSWORD,
        CredentialField("secure", "TLS (explicit)", default="false", type="boolean"),
        _AUTHORITIES,
    ),
)
SFTP = CredentialKind("sftp", "SFTP", (_HOST, _port("22"), _user("username"), _PASSWORD, *_KEY, _FINGERPRINT))

_ACCESS = (
    CredentialField("accessKeyId", "Access key ID", required=True),
    CredentialField("secretAccessKey", "Secret access key", secret=True, required=True),
    CredentialField("temporaryCredentials", "Temporary", default="false", type="boolean"),
    CredentialField("sessionToken", "Session token", secret=True, description="Of a temporary key."),
)
S3 = CredentialKind(
    "s3",
    "S3",
    (
        CredentialField("endpoint", "Endpoint", required=True, description="Such as https://minio.example.com:9000."),
        CredentialField("region", "Region", default="us-east-1"),
        *_ACCESS,
        CredentialField(
            "forcePathStyle",
            "Bucket in the path",
            default="false",
            type="boolean",
            description="For servers that know no bucket.host addresses.",
        ),
        CredentialField(
            "ignoreSSLIssues", "Accept any certificate", default="false", type="boolean", description="Insecure."
        ),
    ),
)
_OWN_ENDPOINT = "With own endpoints; {region} stands for the region."
AWS = CredentialKind(
    "aws",
    "AWS",
    (
        CredentialField("region", "Region", default="us-east-1"),
        *_ACCESS,
        CredentialField("customEndpoints", "Own endpoints", default="false", type="boolean"),
        *(
            CredentialField(f"{name}Endpoint", f"{title} endpoint", description=_OWN_ENDPOINT)
            for name, title in {
                "rekognition": "Rekognition",
                "lambda": "Lambda",
                "sns": "SNS",
                "ses": "SES",
                "sqs": "SQS",
                "s3": "S3",
                "ssm": "SSM",
                "bedrock": "Bedrock",
                "bedrockRuntime": "Bedrock runtime",
                "comprehend": "Comprehend",
                "dynamoDb": "DynamoDB",
                "sts": "STS",
                "textract": "Textract",
                "transcribe": "Transcribe",
            }.items()
        ),
    ),
    Signing("jackfield_integrations.aws.signing:signed"),
)
ELASTICSEARCH = CredentialKind(
    "elasticsearchApi",
    "Elasticsearch",
    (
        CredentialField("username", "User"),
        _PASSWORD,
        CredentialField(
            "baseUrl", "Base URL", required=True, type="url", description="Such as https://elastic.example.com:9200."
        ),
        CredentialField(
            "ignoreSSLIssues", "Accept any certificate", default="false", type="boolean", description="Insecure."
        ),
    ),
    Placement(basic=("{username}", "{password}")),
    Probe("{baseUrl}", path="/_xpack?human=false"),
)
LDAP = CredentialKind(
    "ldap",
    "LDAP",
    (
        CredentialField("hostname", "Server", required=True),
        _port("389"),
        CredentialField("bindDN", "Binding DN", description="The entry to sign in as; empty for anonymous access."),
        CredentialField("bindPassword", "Binding password", secret=True),
        CredentialField(
            "connectionSecurity", "Connection security", default="none", choices=("none", "tls", "startTls")
        ),
        _ANY_CERTIFICATE,
        _AUTHORITIES,
        CredentialField("timeout", "Timeout", default="300", description="Seconds that an answer may take."),
    ),
)
_SNOWFLAKE = (
    CredentialField("database", "Database"),
    CredentialField("warehouse", "Warehouse"),
    CredentialField("schema", "Schema"),
)
_SNOWFLAKE_ACCOUNT = CredentialField(
    "account",
    "Account",
    required=True,
    description="The account identifier, such as myorg-account123 or xy12345.us-east-1.",
)
SNOWFLAKE = CredentialKind(
    "snowflake",
    "Snowflake",
    (
        _SNOWFLAKE_ACCOUNT,
        *_SNOWFLAKE,
        CredentialField(
            "authentication",
            "Authentication",
            default="password",
            choices=("password", "keyPair"),
            description="The SQL API takes no password: choose keyPair.",
        ),
        _user("username"),
        CredentialField("password", "Password", secret=True, description="Of no use: the SQL API takes none."),
        CredentialField(
            "privateKey", "Private key", secret=True, description="The PEM text of the RSA key that the user has."
        ),
        CredentialField("passphrase", "Passphrase of the key", secret=True),
        CredentialField("role", "Role"),
        CredentialField("host", "Host", description="Of the API, where it is not the account's own."),
        CredentialField(
            "clientSessionKeepAlive",
            "Keep sessions alive",
            default="false",
            type="boolean",
            description="Without effect: the SQL API has no sessions.",
        ),
    ),
)
SNOWFLAKE_OAUTH2 = CredentialKind(
    "snowflakeOAuth2Api",
    "Snowflake OAuth2",
    (
        _SNOWFLAKE_ACCOUNT,
        CredentialField("clientId", "Client ID", required=True),
        CredentialField("clientSecret", "Client secret", secret=True, required=True),
        CredentialField(
            "scope", "Scope", default="refresh_token session:role:SYSADMIN", description="Separated by spaces."
        ),
        *_SNOWFLAKE,
    ),
    OAuth2(
        grant="pkce",
        authorize_url="https://{account}.snowflakecomputing.com/oauth/authorize",
        token_url="https://{account}.snowflakecomputing.com/oauth/token-request",  # noqa: S106 - an address
        scope="{scope}",
        server="https://{account}.snowflakecomputing.com",
    ),
)

KINDS = (
    SMTP,
    IMAP,
    MQTT,
    RABBITMQ,
    KAFKA,
    SCHEMA_REGISTRY,
    POSTGRES,
    MYSQL,
    REDIS,
    MONGO_DB,
    SSH_PASSWORD,
    SSH_PRIVATE_KEY,
    FTP,
    SFTP,
    S3,
    AWS,
    ELASTICSEARCH,
    LDAP,
    SNOWFLAKE,
    SNOWFLAKE_OAUTH2,
)
