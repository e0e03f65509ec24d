"""Every node of this plugin, by kind. A node's file is imported when the node is used first; the library that does its
work, when it runs first."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer

MODULES: Mapping[str, str] = {
    "awsS3": "aws.aws_s3_node",
    "elasticsearch": "elastic.node",
    "emailReadImap": "listening.imap_trigger",
    "emailSend": "mail.node",
    "executeCommand": "execute_command",
    "ftp": "remote.ftp_node",
    "graphql": "graphql",
    "kafka": "messaging.kafka_node",
    "kafkaTrigger": "listening.kafka_trigger",
    "ldap": "ldap.node",
    "mongoDb": "mongo.node",
    "mqtt": "messaging.mqtt_node",
    "mqttTrigger": "listening.mqtt_trigger",
    "mySql": "sql.mysql_node",
    "postgres": "sql.postgres_node",
    "postgresTrigger": "listening.postgres_trigger",
    "rabbitmq": "messaging.rabbit_node",
    "rabbitmqTrigger": "listening.rabbit_trigger",
    "redis": "redis_node",
    "redisTrigger": "listening.redis_trigger",
    "rssFeedRead": "rss_feed_read",
    "rssFeedReadTrigger": "rss_feed_trigger",
    "s3": "aws.s3_node",
    "snowflake": "snowflake.node",
    "sqlite": "sql.sqlite_node",
    "ssh": "remote.ssh_node",
}
"""Kind -> module of this package; it has a function `node(context)`."""


def node_types(context: PluginContext) -> list[NodeOffer]:
    """One offer per kind."""
    return [NodeOffer(kind, f"jackfield_integrations.{module}:node", (context,)) for kind, module in MODULES.items()]
