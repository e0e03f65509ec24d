"""Commands and addresses that leave the host: no part of a secret is left, and harmless text stays as it is."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.secret_texts import hidden_arguments, hidden_text

_WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!%^*_+.~-"
"""Of secrets. Capitals, so that the words of a command have no part of one."""
secrets = st.text(_WORDS, min_size=8, max_size=40).map(lambda text: f"Q{text}").filter(lambda text: "***" not in text)
passwords = st.sampled_from("/@").flatmap(lambda more: st.text(f"{_WORDS}:{more}", min_size=8, max_size=40))
"""Of addresses, with a sign that nobody has encoded."""
COMMANDS = (
    "curl -u user:{} https://a.example", "curl -uuser:{}", "curl -sSu 'user:{}' x", "/usr/bin/curl --user=user:{} x",
    "curl -H 'accept: x' \\\n  --user \"user:{}\"", "curl 'https://a.example/?a=1&b=2' -u user:{}; ls",
    "cat x | curl -T - --proxy-user user:{} ftp://a.example && ls", "curl --oauth2-bearer {} x", "curl -b 'sid={}' x",
    "mysql -u root -p{} db", "mysqldump --password={} db", "mariadb --password='{}'", "mysqladmin -p'{}' status",
    "sshpass -p {} ssh a", "docker login -u me -p {} r.example", "redis-cli -a {} ping", "http -a me:{} a.example",
    "mongosh -u me -p {}", "ldapsearch -x -w {} -b dc=a", "unzip -P {} a.zip", "smbclient -U me%{} //a/b",
    "curl -H 'Authorization: {}' x", "curl -H \"Authorization: Basic {}\" x", "curl -H Authorization:{} x",
    "curl -H 'Authorization: Digest username=\"me\", response=\"{}\"' x",
    "wget --header='Proxy-Authorization: Negotiate {}' x", "curl -H 'X-Api-Key: {}' x", "Authorization: AWS4 c, s={}",
    "PGPASSWORD={} psql", "if password == '{}': pass", "password => {}", "token === \"{}\"",
    "deploy --api-key {} --dry-run", "curl -d 'user=me&password={}' x",
)  # fmt: skip
ADDRESSES = (
    "https://a.example/?key={}&b=1", "https://a.example/x?b=1&token={}#end", "get 'https://a.example/?api_key={}' now",
    "https://a.example/?X-Amz-Signature=1&access_token={}", "https://a.example/?auth={}&sig={}",
)  # fmt: skip
USERS = (
    "postgres://user:{}@db.example/x", "psql postgresql://user:{}@db.example:5432/x?sslmode=require",
    "redis://:Q{}@cache.example", "mongodb+srv://me:{}@db.example", "git clone 'https://me:{}@git.example/a.git'",
    "ssh://me:{}@git.example/a.git",
)  # fmt: skip
ARGUMENTS = (
    ("curl", ["-u", "user:{}", "x"]), ("/usr/bin/curl", ["--user=user:{}"]), ("", ["curl", "-uuser:{}"]),
    ("mysql", ["-p{}"]), ("sshpass", ["-p", "{}"]), ("docker", ["login", "-p", "{}"]), ("x", ["--password={}"]),
    ("x", ["--token", "{}"]), ("x", ["-H", "Authorization: a {}"]), ("", ["env", "mysql", "--user=me", "-p{}", "db"]),
    ("npx", ["-y", "server", "postgres://me:{}@db.example/x"]), ("x", ["https://a.example/?key={}"]),
)  # fmt: skip
HARMLESS = (
    "ls -u", "python -u main.py", "docker run -u 1000:1000 -p 8080:80 image", "ssh -p 2222 git@a.example",
    "cp -pr a b", "mkdir -p src/a", "curl -u user https://a.example",
    "curl -o a.json 'https://a.example/?page=2&size=10'", "mysql -p", 'curl -u "$USER:$PASS" x',
    "curl -u ada:${PASS} x", "mysql -p$PASS db", 'sshpass -p "$(cat x)" ssh a', "id -u me",
    "curl -H 'Authorization: Bearer $TOKEN' x", "git clone ssh://git@a.example/x.git", "grep -a curl x",
    "a && b || c; d", "https://a.example:8080/~me/x@1.2", "http://[::1]:80/a@b",
    "https://a.example/?key=${KEY}&x=1", "max-tokens: 5", "npx -y @scope/server@latest /tmp/a:b", "tar -p -a -x",
    "git log -p -w", "echo what is the key?", "it's me; don't", "postgres://db.example/x?sslmode=require",
    "curl -b cookies.txt x", '{"token": true, "b": 2}', "if password == null && a", "unzip -p a.zip",
    "psql -U me -p 5432",
)  # fmt: skip


def left(secret: str, shown: str) -> list[str]:
    """Parts of it, of four characters, that are shown."""
    return [secret[at : at + 4] for at in range(len(secret) - 3) if secret[at : at + 4] in shown]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from((*COMMANDS, *ADDRESSES)), secrets)
def test_nothing_of_a_secret_is_left_in_a_command(command: str, secret: str) -> None:
    shown = hidden_text(command.replace("{}", secret))
    assert not left(secret, shown), shown
    assert hidden_text(shown) == shown


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(USERS), passwords)
def test_nothing_of_a_password_is_left_in_an_address(address: str, secret: str) -> None:
    secret = f"Q{secret.replace('***', 'QQQ')}Q"
    shown = hidden_text(address.replace("{}", secret))
    assert not left(secret, shown), shown
    assert hidden_text(shown) == shown


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ARGUMENTS), secrets | secrets.map(lambda text: f"{text} ';&| {text}"))
def test_nothing_of_a_secret_is_left_in_arguments(call: tuple[str, list[str]], secret: str) -> None:
    """No shell reads them: blanks and quotes are part of a value."""
    program, values = call
    if "?" in str(values) or "://" in str(values):
        secret = secret.split(" ", 1)[0]
    shown = hidden_arguments([value.replace("{}", secret) for value in values], program)
    assert not left(secret, str(shown)), shown
    assert hidden_arguments(shown, program) == shown


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(HARMLESS), min_size=1, max_size=6))
def test_harmless_texts_stay(parts: list[str]) -> None:
    """In any order, as the lines of one script."""
    text = "\n".join(parts)
    assert hidden_text(text) == text
    for values in (shlex.split(part) for part in parts if "'" not in part):
        assert hidden_arguments(values) == values


@pytest.mark.parametrize(
    "word", ["curl ", "curl -u ", "'", "curl '", "?key=", "://a:", "://:", "Authorization: ", "mysql -p\\"]
)
def test_a_long_text_is_looked_through_once(word: str) -> None:
    """As long as an argument may be: 131,072 characters."""
    text = word * (131_072 // len(word))
    began = time.process_time()
    hidden_text(text)
    hidden_arguments([text, text])
    assert time.process_time() - began < 10


def test_a_long_password_is_looked_through_once() -> None:
    """A place where each character might begin the rest of the password."""
    text = f"{'://' * 100}x://u:{'a1' * 500_000}"
    began = time.process_time()
    assert hidden_text(text) == text
    assert time.process_time() - began < 3
