"""Mail about accounts: invitations, forgotten passwords, and notices of changes by others."""
