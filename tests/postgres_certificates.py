"""Certificates for a PostgreSQL of the tests, made anew each time: two authorities, and certificates that are good and bad.

`make(folder)` writes `authority.pem`, `other_authority.pem` and, for each of NAMES, `NAME.crt` and `NAME.key`.
"""

import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAMES = ("good", "other_name", "other_authority", "expired")
DAY = datetime.timedelta(days=1)


def subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


class Authority:
    def __init__(self, name: str) -> None:
        self.name, self.key = subject(name), ec.generate_private_key(ec.SECP256R1())
        self.certificate = self.sign(self.name, self.key, True, [], 30 * DAY)

    def sign(self, name: x509.Name, key: ec.EllipticCurvePrivateKey, is_authority: bool, hosts: list[str], ends: datetime.timedelta):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 10 * DAY)
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([host_name(host) for host in hosts]), critical=False)
        return builder.sign(self.key, hashes.SHA256())


def host_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def make(folder: pathlib.Path) -> None:
    ours, other = Authority("the authority of a test"), Authority("another authority")
    here = ["localhost", "127.0.0.1"]
    for name, authority, hosts, ends in (
        ("good", ours, here, DAY),
        ("other_name", ours, ["db.example.org"], DAY),
        ("other_authority", other, here, DAY),
        ("expired", ours, here, -DAY),
    ):
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = authority.sign(subject(hosts[0]), key, False, hosts, ends)
        (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        form = serialization.PrivateFormat.PKCS8
        (folder / f"{name}.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    for name, authority in (("authority", ours), ("other_authority", other)):
        (folder / f"{name}.pem").write_bytes(authority.certificate.public_bytes(serialization.Encoding.PEM))
