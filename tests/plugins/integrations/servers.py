"""Real servers on loopback, each with a directory of its own that goes with it."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from integration_fakes import free_port

PASSWORD = "correct-horse-battery"
DEADLINE_S = 60
DOVECOT = """
base_dir = {home}/run
state_dir = {home}/state
log_path = {home}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = {me}
default_internal_group = {group}
default_login_user = {me}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:{home}/mail/%u
disable_plaintext_auth = no
ssl = yes
ssl_cert = <{public}
ssl_key = <{private}
auth_mechanisms = plain
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={me} gid={group} home={home}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


class Absent(Exception):
    """The server's programs are not installed."""


def program(name: str, *directories: str) -> str:
    """Where a server's program is. Raises `Absent`."""
    found = shutil.which(name, path=os.pathsep.join([*directories, os.environ.get("PATH", ""), "/usr/sbin"]))
    if found is None:
        raise Absent(f"{name} is not installed")
    return found


def account(*names: str) -> str | None:
    """Servers refuse to run as root: the first of these users that there is; None when this is not root."""
    if os.geteuid() != 0:
        return None
    for name in (*names, "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise Absent("there is no user to run the server as")


@contextlib.contextmanager
def directory(user: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="jackfield-test-") as name:
        if user:
            Path(name).chmod(0o755)
            made = Path(name, "own")
            made.mkdir()
            shutil.chown(made, user)
            yield made
        else:
            yield Path(name)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def wait_for(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the server did not start: {process.args!r}")
        time.sleep(0.05)


@contextlib.contextmanager
def running(
    command: list[str], user: str | None, ready: Callable[[], bool], environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, user=user, stdin=quiet, stdout=quiet, stderr=quiet, cwd="/", env=environment)
    try:
        wait_for(ready, process)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def copied(directory: Path, user: str | None, certificate: Path, key: Path) -> tuple[str, str]:
    """The server's own certificate and key."""
    made = []
    for name, source in (("server.crt", certificate), ("server.key", key)):
        shutil.copy(source, directory / name)
        shutil.chown(directory / name, user or os.geteuid())
        (directory / name).chmod(0o600)
        made.append(str(directory / name))
    return made[0], made[1]


@contextlib.contextmanager
def postgres_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    """A private cluster; gives the values of a credential."""
    homes = sorted(str(path) for path in Path("/usr/lib/postgresql").glob("*/bin"))
    initdb, postgres, asked = (program(name, *homes) for name in ("initdb", "postgres", "pg_isready"))
    user = account("postgres")
    with directory(user) as home:
        data, secret, port = home / "data", home / "password", free_port()
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        subprocess.run(
            [initdb, "-D", str(data), "-U", "tester", "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "-N"],
            user=user,
            check=True,
            capture_output=True,
            cwd="/",
        )
        copied(data, user, certificate, key)
        options = ("listen_addresses=127.0.0.1", f"unix_socket_directories={home}", "fsync=off", "ssl=on")
        command = [postgres, "-D", str(data), "-p", str(port), *(word for option in options for word in ("-c", option))]
        ready = [asked, "-q", "-h", "127.0.0.1", "-p", str(port)]  # its port is open before it takes connections
        with running(command, user, lambda: not subprocess.run(ready, check=False).returncode):
            values = {"host": "127.0.0.1", "port": str(port), "database": "postgres", "user": "tester"}
            yield {**values, "password": PASSWORD}


@contextlib.contextmanager
def mariadb_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    install, server, client = program("mariadb-install-db"), program("mariadbd"), program("mariadb")
    user = account("mysql")
    with directory(user) as home:
        data, port, sock = home / "data", free_port(), home / "socket"
        common = ["--no-defaults", f"--datadir={data}"]
        subprocess.run(
            [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"],
            user=user,
            check=True,
            capture_output=True,
            cwd="/",
        )
        command = [server, *common, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={sock}"]
        public, private = copied(home, user, certificate, key)
        command += [
            f"--ssl-cert={public}",
            f"--ssl-key={private}",
            "--innodb-flush-log-at-trx-commit=0",
            "--skip-log-bin",
            f"--pid-file={home / 'pid'}",
        ]
        with running(command, user, lambda: answers(port)):
            script = (
                f"CREATE DATABASE shop; CREATE USER tester@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'; "
                f"GRANT ALL ON *.* TO tester@'127.0.0.1'; FLUSH PRIVILEGES;"
            )
            subprocess.run(
                [client, "--no-defaults", f"--socket={sock}", "-uroot", "-e", script], check=True, capture_output=True
            )
            values = {"host": "127.0.0.1", "port": str(port), "database": "shop", "user": "tester"}
            yield {**values, "password": PASSWORD}


@contextlib.contextmanager
def redis_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    server = program("redis-server")
    user = account("redis")
    with directory(user) as home:
        port = free_port()
        command = [server, "--port", str(port), "--bind", "127.0.0.1", "--requirepass", PASSWORD, "--save", ""]
        public, private = copied(home, user, certificate, key)
        tls = free_port()
        command += ["--tls-port", str(tls), "--tls-cert-file", public, "--tls-key-file", private]
        command += ["--tls-auth-clients", "no", "--dir", str(home)]
        with running(command, user, lambda: answers(port)):
            yield {"host": "127.0.0.1", "port": str(port), "password": PASSWORD, "tlsPort": str(tls)}


@contextlib.contextmanager
def imap_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    """Dovecot. Gives the values of a credential, with the port of TLS in `tlsPort`; any user has a mailbox."""
    server = program("dovecot")
    with directory(account("nobody")) as home:
        port, tls = free_port(), free_port()
        public, private = copied(home, None, certificate, key)
        me = account("nobody") or pwd.getpwuid(os.geteuid()).pw_name
        group = grp.getgrgid(pwd.getpwnam(me).pw_gid).gr_name
        config = home / "dovecot.conf"
        config.write_text(
            DOVECOT.format(
                home=home, me=me, group=group, port=port, tls=tls, public=public, private=private, password=PASSWORD
            )
        )
        with running([server, "-F", "-c", str(config)], None, lambda: answers(port)):
            yield {
                "host": "127.0.0.1",
                "port": str(port),
                "user": "ada",
                "password": PASSWORD,
                "secure": "false",
                "tlsPort": str(tls),
            }


@contextlib.contextmanager
def mqtt_server() -> Iterator[Mapping[str, str]]:
    """Mosquitto, which keeps sessions as long as it lives. Gives the values of a credential."""
    server = program("mosquitto")
    user = account("mosquitto")
    with directory(user) as home:
        port, secret, config = free_port(), home / "passwords", home / "mosquitto.conf"
        subprocess.run([program("mosquitto_passwd"), "-b", "-c", str(secret), "ada", PASSWORD], check=True)
        secret.chmod(0o644)
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {secret}\n")
        with running([server, "-c", str(config)], user, lambda: answers(port)):
            yield {"host": "127.0.0.1", "port": str(port), "username": "ada", "password": PASSWORD}


@contextlib.contextmanager
def rabbit_server() -> Iterator[Mapping[str, str]]:
    """RabbitMQ with a node of its own. Gives the values of a credential."""
    server = program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
    user = account("rabbitmq")
    with directory(user) as home:
        port, dist = free_port(), free_port()
        environment = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "RABBITMQ_NODENAME": f"j{port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1", "RABBITMQ_NODE_PORT": str(port), "RABBITMQ_DIST_PORT": str(dist),
            "RABBITMQ_MNESIA_BASE": str(home), "RABBITMQ_LOG_BASE": str(home), "RABBITMQ_PID_FILE": str(home / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"), "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
            "ERL_EPMD_PORT": str(free_port()), "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
        }  # fmt: skip
        limits = "vm_memory_high_watermark.absolute = 256MB\ndisk_free_limit.absolute = 1MB\n"
        (home / "rabbitmq.conf").write_text(limits)
        for path in home.iterdir():
            shutil.chown(path, user or os.geteuid())
        try:
            with running([server], user, lambda: answers(port), environment):
                yield {"hostname": "127.0.0.1", "port": str(port), "username": "guest", "password": "guest"}
        finally:
            subprocess.run(["epmd", "-kill"], env=environment, check=False, capture_output=True)


_JAAS = "org.apache.kafka.common.security"
KAFKA = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAIN://127.0.0.1:{plain},SASL://127.0.0.1:{sasl},TLS://127.0.0.1:{tls},FAR://127.0.0.1:{far},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAIN://127.0.0.1:{plain},SASL://127.0.0.1:{sasl},TLS://localhost:{tls},FAR://10.99.0.1:{far}
listener.security.protocol.map=PLAIN:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,FAR:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAIN
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl.plain.sasl.jaas.config={jaas}.plain.PlainLoginModule required user_ada="{password}";
listener.name.sasl.scram-sha-256.sasl.jaas.config={jaas}.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config={jaas}.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location={home}/server.pem
log.dirs={home}/data
num.partitions=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
"""


@contextlib.contextmanager
def kafka_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    """Apache Kafka 4. JACKFIELD_TEST_KAFKA names the directory of its jars: `libs` of an installation, or what Maven's
    `dependency:copy-dependencies` makes of `org.apache.kafka:kafka_2.13`. Gives the values of a credential and further
    ports: `saslPort`, `tlsPort`, and `farPort`, where it says that it is at 10.99.0.1."""
    jars = os.environ.get("JACKFIELD_TEST_KAFKA", "")
    if not jars:
        raise Absent("JACKFIELD_TEST_KAFKA names no directory of Kafka's jars")
    java = [program("java"), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*"]
    with directory(None) as home:
        names = ("plain", "sasl", "tls", "far", "controller")
        ports = {name: free_port() for name in names}
        (home / "server.pem").write_text(key.read_text() + certificate.read_text())
        config = home / "server.properties"
        config.write_text(KAFKA.format(jaas=_JAAS, home=home, password=PASSWORD, **ports))
        made = [*java, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(config)]
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            made += ["--add-scram", f"{mechanism}=[name=ada,password={PASSWORD}]"]
        subprocess.run(made, check=True, capture_output=True, cwd=home)
        with running([*java, "kafka.Kafka", str(config)], None, lambda: answers(ports["plain"])):
            values = {"brokers": f"127.0.0.1:{ports['plain']}", "ssl": "false"}
            yield {**values, **{f"{name}Port": str(ports[name]) for name in ("sasl", "tls", "far")}}


@contextlib.contextmanager
def mongo_server() -> Iterator[Mapping[str, str]]:
    """MongoDB, or else FerretDB 1, which speaks its protocol over SQLite: `go mod download
    github.com/FerretDB/FerretDB@v1.24.2`, in a copy of it `echo v1.24.2 > build/version/version.txt`, without which it
    does not start, and `go build ./cmd/ferretdb`. JACKFIELD_TEST_MONGODB names either program. Gives the values of a
    credential; it asks for no password."""
    named = os.environ.get("JACKFIELD_TEST_MONGODB")
    server = named or next((found for name in ("mongod", "ferretdb") if (found := shutil.which(name))), "")
    if not server:
        raise Absent("neither mongod nor ferretdb is installed")
    port = free_port()
    with directory(None) as home:
        if Path(server).name == "mongod":
            command = [server, "--dbpath", str(home), "--port", str(port), "--bind_ip", "127.0.0.1"]
        else:
            command = [server, "--handler=sqlite", f"--sqlite-url=file:{home}/", f"--state-dir={home}"]
            command += [f"--listen-addr=127.0.0.1:{port}", "--debug-addr=-", "--telemetry=disable"]
        with running(command, None, lambda: answers(port)):
            yield {"host": "127.0.0.1", "port": str(port), "database": "shared"}


@contextlib.contextmanager
def ldap_server(certificate: Path, key: Path) -> Iterator[Mapping[str, str]]:
    """OpenLDAP with `dc=example,dc=com`; `tlsPort` is that of a credential with TLS."""
    server, schemas = program("slapd", "/usr/sbin"), Path("/etc/ldap/schema")
    if not schemas.is_dir():
        raise Absent("slapd has no schemas")
    user = account("openldap")
    with directory(user) as home:
        (home / "data").mkdir()
        shutil.chown(home / "data", user or os.geteuid())
        public, private = copied(home, user, certificate, key)
        lines = [f"include {schemas / name}.schema" for name in ("core", "cosine", "inetorgperson")]
        lines += ["modulepath /usr/lib/ldap", "moduleload back_mdb", "database mdb", 'suffix "dc=example,dc=com"']
        lines += ['rootdn "cn=admin,dc=example,dc=com"', f"rootpw {PASSWORD}", f"directory {home / 'data'}"]
        lines[4:4] = [f"TLSCertificateFile {public}", f"TLSCertificateKeyFile {private}"]
        (home / "slapd.conf").write_text("\n".join(lines) + "\n")
        port, tls = free_port(), free_port()
        addresses = f"ldap://127.0.0.1:{port} ldaps://127.0.0.1:{tls}"
        command = [server, "-h", addresses, "-f", str(home / "slapd.conf"), "-d", "0"]
        with running(command, user, lambda: answers(port) and answers(tls)):
            values = {"hostname": "127.0.0.1", "port": str(port), "tlsPort": str(tls)}
            yield {**values, "bindDN": "cn=admin,dc=example,dc=com", "bindPassword": PASSWORD}
