"""Users, API keys, revoked tokens, variables, credentials: what holds for every store."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import ApiKey, Credential, ImportedId, Store, User, Variable

ADA = User("u-1", "ada", "admin", "hash-1", 1, 1000)
KEY = ApiKey("k-1", "u-1", "ci", "jf_sk_ab", "d" * 64, ("workflows:read", "executions:read"), 1000, 5000)


class StoreUsersContract:
    """Users, sessions, keys: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_user_is_found_by_id_and_by_name(self, store: Store) -> None:
        await store.add_user(ADA)
        assert await store.user("u-1") == ADA
        assert await store.user_by_name("ada") == ADA
        assert await store.user("u-2") is None
        assert await store.user_by_name("ADA") is None

    async def test_users_are_listed_by_name(self, store: Store) -> None:
        bob = User("u-0", "bob", "viewer", "hash-2", 1, 500)
        await store.add_user(bob)
        await store.add_user(ADA)
        assert await store.users() == [ADA, bob]

    async def test_a_taken_name_is_a_conflict(self, store: Store) -> None:
        await store.add_user(ADA)
        with pytest.raises(Conflict):
            await store.add_user(replace(ADA, id="u-2"))
        assert await store.users() == [ADA]

    async def test_a_taken_id_is_a_conflict(self, store: Store) -> None:
        await store.add_user(ADA)
        with pytest.raises(Conflict):
            await store.add_user(replace(ADA, username="eve"))

    async def test_a_change_counts_the_version_up(self, store: Store) -> None:
        await store.add_user(ADA)
        changed = await store.change_user("u-1", role="viewer")
        assert changed == replace(ADA, role="viewer", version=2)
        assert await store.change_user("u-1", password_hash="hash-2") == replace(
            changed, password_hash="hash-2", version=3
        )
        assert (await store.user("u-1")) == replace(changed, password_hash="hash-2", version=3)

    async def test_a_rehash_keeps_the_version(self, store: Store) -> None:
        await store.add_user(ADA)
        assert await store.change_user("u-1", password_hash="new", revoke=False) == replace(ADA, password_hash="new")

    async def test_a_user_of_another_login_is_found_by_login_and_subject_alone(self, store: Store) -> None:
        await store.add_user(ADA)
        eve = User("u-3", "ada@corp", "viewer", "", 1, 1000, "corp", "s-1", "Ada")
        await store.add_user(eve)
        assert await store.user_by_identity("corp", "s-1") == eve == await store.user("u-3")
        for provider, subject in (("corp", "S-1"), ("corp", "s-1 "), ("other", "s-1"), ("", "s-1"), ("", "")):
            assert await store.user_by_identity(provider, subject) is None

    async def test_a_subject_of_a_login_has_one_user(self, store: Store) -> None:
        eve = User("u-3", "ada@corp", "viewer", "", 1, 1000, "corp", "s-1")
        await store.add_user(eve)
        with pytest.raises(Conflict):
            await store.add_user(replace(eve, id="u-4", username="another"))
        other = replace(eve, id="u-5", username="ada@other", provider="other")
        await store.add_user(other)
        assert await store.users() == [eve, other]

    async def test_users_of_our_own_have_no_subject_and_are_many(self, store: Store) -> None:
        for name in ("ada", "bob"):
            await store.add_user(User(name, name, "viewer", "hash", 1, 1))
        assert len(await store.users()) == 2

    async def test_a_user_is_disabled_and_enabled(self, store: Store) -> None:
        await store.add_user(ADA)
        off = await store.change_user("u-1", disabled=True)
        assert off == replace(ADA, disabled=True, version=2) == await store.user("u-1")
        assert await store.change_user("u-1", role="viewer") == replace(off, role="viewer", version=3)
        on = await store.change_user("u-1", disabled=False, display_name="Ada L.", revoke=False)
        assert on == replace(ADA, role="viewer", version=3, display_name="Ada L.")

    async def test_unknown_users_are_neither_changed_nor_deleted(self, store: Store) -> None:
        assert await store.change_user("nobody", role="admin") is None
        assert await store.delete_user("nobody") is False

    async def test_a_deleted_user_takes_the_keys_along(self, store: Store) -> None:
        await store.add_user(ADA)
        await store.add_api_key(KEY)
        assert await store.delete_user("u-1") is True
        assert await store.user("u-1") is None
        assert await store.api_key(KEY.digest) is None

    async def test_an_api_key_is_found_by_its_digest(self, store: Store) -> None:
        await store.add_user(ADA)
        await store.add_api_key(KEY)
        assert await store.api_key(KEY.digest) == KEY
        assert await store.api_key("e" * 64) is None

    async def test_a_key_of_an_unknown_user_is_a_conflict(self, store: Store) -> None:
        with pytest.raises(Conflict):
            await store.add_api_key(KEY)

    async def test_api_keys_are_listed_newest_first_and_per_user(self, store: Store) -> None:
        await store.add_user(ADA)
        await store.add_user(User("u-2", "bob", "member", "h", 1, 1))
        keys = [replace(KEY, id=f"k-{n}", digest=f"{n:064}", created_at=n, scopes=()) for n in range(5)]
        for key in keys:
            await store.add_api_key(key)
        await store.add_api_key(replace(KEY, id="other", user_id="u-2", digest="f" * 64))
        page = await store.api_keys("u-1", 1, 2)
        assert (list(page.rows), page.total) == ([keys[3], keys[2]], 5)

    async def test_only_the_owner_deletes_a_key(self, store: Store) -> None:
        await store.add_user(ADA)
        await store.add_api_key(KEY)
        assert await store.delete_api_key("k-1", "u-2") is False
        assert await store.delete_api_key("k-1", "u-1") is True
        assert await store.delete_api_key("k-1", "u-1") is False

    async def test_the_last_use_never_goes_back(self, store: Store) -> None:
        await store.add_user(ADA)
        await store.add_api_key(KEY)
        await store.touch_api_keys({"k-1": 2000, "unknown": 1})
        await store.touch_api_keys({"k-1": 1500})
        assert await store.api_key(KEY.digest) == replace(KEY, last_used_at=2000)

    async def test_a_token_is_revoked_once(self, store: Store) -> None:
        results = await asyncio.gather(*(store.revoke_token("jti", 5000) for _ in range(8)))
        assert sorted(results) == [False] * 7 + [True]

    async def test_expired_revocations_are_not_listed(self, store: Store) -> None:
        await store.revoke_token("old", 100)
        await store.revoke_token("new", 300)
        assert await store.revoked_tokens(200) == {"new": 300}
        assert await store.revoked_tokens(300) == {}

    async def test_variables_are_replaced_by_id_and_listed_by_key(self, store: Store) -> None:
        await store.put_variable(Variable("v-1", "ZONE", "a", 1, 1))
        await store.put_variable(Variable("v-2", "AREA", "b", 2, 2))
        await store.put_variable(Variable("v-1", "ZONE", "c", 1, 9))
        assert await store.variables() == [Variable("v-2", "AREA", "b", 2, 2), Variable("v-1", "ZONE", "c", 1, 9)]
        assert await store.delete_variable("v-1") is True
        assert await store.delete_variable("v-1") is False

    async def test_a_variable_key_belongs_to_one_id(self, store: Store) -> None:
        await store.put_variable(Variable("v-1", "ZONE", "a", 1, 1))
        with pytest.raises(Conflict):
            await store.put_variable(Variable("v-2", "ZONE", "b", 1, 1))
        assert await store.variables() == [Variable("v-1", "ZONE", "a", 1, 1)]

    async def test_credentials(self, store: Store) -> None:
        kept = [Credential(f"c-{n}", f"name {n}", "jwtAuth", bytes([0, n, 255]), n, n) for n in range(3)]
        for each in kept:
            await store.put_credential(each)
        changed = replace(kept[1], sealed=b"\x00other", updated_at=50)
        await store.put_credential(changed)
        page = await store.credentials(0, 2)
        assert (list(page.rows), page.total) == ([kept[2], changed], 3)
        assert await store.credential("c-1") == changed
        assert await store.credential("c-9") is None
        assert await store.delete_credential("c-1") is True
        assert await store.delete_credential("c-1") is False

    async def test_a_credential_is_added_once(self, store: Store) -> None:
        given = [Credential("c", f"name {n}", "jwtAuth", bytes([n, 0, 255]), n, n) for n in range(2)]
        await store.add_credential(given[0])
        with pytest.raises(Conflict):
            await store.add_credential(given[1])
        assert await store.credential("c") == given[0]

    async def test_a_credential_that_was_changed_meanwhile_is_a_conflict(self, store: Store) -> None:
        first = Credential("c", "name", "jwtAuth", b"\x00first", 1, 1)
        await store.put_credential(first)
        for other in (replace(first, name="new"), replace(first, sealed=b"new"), replace(first, updated_at=2)):
            await store.put_credential(other)
            with pytest.raises(Conflict):
                await store.put_credential(replace(first, name="late"), first)
            assert await store.credential("c") == other
            await store.put_credential(first, other)
            assert await store.credential("c") == first
        await store.delete_credential("c")
        with pytest.raises(Conflict):
            await store.put_credential(first, first)
        assert await store.credential("c") is None

    async def test_ids_of_other_systems(self, store: Store) -> None:
        first = ImportedId("n8n", "workflow", "b", "own-b", "", 1)
        kept = [
            first,
            ImportedId("n8n", "workflow", "a", "own-a", "d", 1),
            ImportedId("other", "workflow", "a", "x", "", 1),
        ]
        await store.put_imported_ids(kept)
        await store.put_imported_ids([])
        changed = replace(first, digest="later", updated_at=2)
        await store.put_imported_ids([changed, ImportedId("n8n", "credential", "b", "own-c", "", 2)])
        assert await store.imported_ids("n8n", "workflow") == [kept[1], changed]
        assert await store.imported_ids("other", "workflow") == [kept[2]]
        assert await store.imported_ids("other", "credential") == []

    @pytest.mark.parametrize("text", ["nul\x00inside", "\x00", "snow ☃ 𝄞", "'; DROP TABLE users; --", "", "%_\\"])
    async def test_any_text_is_kept_as_it_is(self, store: Store, text: str) -> None:
        await store.add_user(User("u-x", text, "member", text, 1, 1))
        await store.put_variable(Variable("v", text, text, 1, 1))
        assert await store.user_by_name(text) == User("u-x", text, "member", text, 1, 1)
        assert await store.variables() == [Variable("v", text, text, 1, 1)]

    async def test_a_lone_surrogate_breaks_nothing(self, store: Store) -> None:
        await store.put_variable(Variable("v", "KEY", "a\ud800b", 1, 1))
        assert len((await store.variables())[0].value) == 3
        assert await store.user_by_name("\udfff") is None
        assert await store.user("\ud800") is None
