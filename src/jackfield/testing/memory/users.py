"""Users, keys, variables and credentials in memory."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.records import replace

from ...api.errors import Conflict
from ...api.storage import ApiKey, Credential, Page, User, Variable, Within
from .tables import MemoryTables, page_of, taken


def _identity(user: User) -> tuple[str, str]:
    return user.provider, user.subject


class MemoryUsers(MemoryTables):
    """Part of `MemoryStore`."""

    async def add_user(self, user: User) -> None:
        self._answer()
        if any(user.username == other.username for other in self._users.values()):
            raise Conflict(f"There is a user named {user.username} already.", details={"username": "is taken"})
        identity = (user.provider, user.subject)
        if user.id in self._users or (user.provider and identity in map(_identity, self._users.values())):
            raise taken()
        self._users[user.id] = user

    async def user(self, user_id: str) -> User | None:
        self._answer()
        return self._users.get(user_id)

    async def user_by_name(self, username: str) -> User | None:
        self._answer()
        return next((user for user in self._users.values() if user.username == username), None)

    async def user_by_identity(self, provider: str, subject: str) -> User | None:
        self._answer()
        users = self._users.values()
        return next((user for user in users if provider and _identity(user) == (provider, subject)), None)

    async def users(self) -> list[User]:
        self._answer()
        return sorted(self._users.values(), key=lambda user: user.username)

    async def change_user(
        self,
        user_id: str,
        *,
        role: str | None = None,
        password_hash: str | None = None,
        display_name: str | None = None,
        disabled: bool | None = None,
        revoke: bool = True,
    ) -> User | None:
        self._answer()
        old = self._users.get(user_id)
        if old is None:
            return None
        self._users[user_id] = replace(
            old,
            role=old.role if role is None else role,
            password_hash=old.password_hash if password_hash is None else password_hash,
            display_name=old.display_name if display_name is None else display_name,
            disabled=old.disabled if disabled is None else disabled,
            version=old.version + revoke,
        )
        return self._users[user_id]

    async def delete_user(self, user_id: str) -> bool:
        self._answer()
        self._keys = {key_id: key for key_id, key in self._keys.items() if key.user_id != user_id}
        return self._users.pop(user_id, None) is not None

    async def add_api_key(self, key: ApiKey) -> None:
        self._answer()
        if key.user_id not in self._users:
            raise Conflict("The user of this API key does not exist any more.")
        if key.id in self._keys or any(key.digest == other.digest for other in self._keys.values()):
            raise taken()
        self._keys[key.id] = key

    async def api_key(self, digest: str) -> ApiKey | None:
        self._answer()
        return next((key for key in self._keys.values() if key.digest == digest), None)

    async def api_keys(self, user_id: str, offset: int, limit: int) -> Page[ApiKey]:
        self._answer()
        keys = (key for key in self._keys.values() if key.user_id == user_id)
        return page_of(sorted(keys, key=lambda key: (key.created_at, key.id), reverse=True), offset, limit)

    async def delete_api_key(self, key_id: str, user_id: str) -> bool:
        self._answer()
        if key_id in self._keys and self._keys[key_id].user_id == user_id:
            del self._keys[key_id]
            return True
        return False

    async def touch_api_keys(self, used: Mapping[str, int]) -> None:
        self._answer()
        for key_id, time in used.items():
            if key_id in self._keys:
                key = self._keys[key_id]
                self._keys[key_id] = replace(key, last_used_at=max(key.last_used_at or 0, time))

    async def revoke_token(self, token_id: str, expires_at: int) -> bool:
        self._answer()
        if token_id in self._revoked:
            return False
        self._revoked[token_id] = expires_at
        return True

    async def is_token_revoked(self, token_id: str) -> bool:
        self._answer()
        return token_id in self._revoked

    async def revoked_tokens(self, now: int) -> dict[str, int]:
        self._answer()
        return {token_id: expiry for token_id, expiry in self._revoked.items() if expiry > now}


class MemoryConfiguration(MemoryTables):
    """Part of `MemoryStore`."""

    async def variables(self, within: Within | None = None) -> list[Variable]:
        self._answer()
        found = (each for each in self._variables.values() if self._is_within("variable", each.id, within))
        return sorted(found, key=lambda each: each.key)

    async def put_variable(self, variable: Variable) -> None:
        self._answer()
        if any(each.key == variable.key and each.id != variable.id for each in self._variables.values()):
            raise Conflict(f"There is a variable {variable.key} already.", details={"key": "is taken"})
        self._variables[variable.id] = variable

    async def delete_variable(self, variable_id: str) -> bool:
        self._answer()
        return self._variables.pop(variable_id, None) is not None

    async def credentials(self, offset: int, limit: int, within: Within | None = None) -> Page[Credential]:
        self._answer()
        kept = (each for each in self._credentials.values() if self._is_within("credential", each.id, within))
        found = sorted(kept, key=lambda each: (each.created_at, each.id), reverse=True)
        return page_of(found, offset, limit)

    async def credential(self, credential_id: str) -> Credential | None:
        self._answer()
        return self._credentials.get(credential_id)

    async def add_credential(self, credential: Credential) -> None:
        self._answer()
        if credential.id in self._credentials:
            raise Conflict("There is a credential with this id already.")
        self._credentials[credential.id] = credential

    async def put_credential(self, credential: Credential, before: Credential | None = None) -> None:
        self._answer()
        present = self._credentials.get(credential.id)
        if before is not None and (present is None or _state(present) != _state(before)):
            raise Conflict("The credential was changed meanwhile; load it again and repeat the change.")
        self._credentials[credential.id] = credential

    async def delete_credential(self, credential_id: str) -> bool:
        self._answer()
        return self._credentials.pop(credential_id, None) is not None


def _state(credential: Credential) -> tuple[str, bytes, int]:
    return credential.name, credential.sealed, credential.updated_at
