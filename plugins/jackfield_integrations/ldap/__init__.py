"""The node for LDAP."""
