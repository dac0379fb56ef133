"""Certificates for tests.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import datetime
import hashlib
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class Authority:
    """Signs one certificate for some names, the first of which is the bank's. All files are in `folder`."""

    def __init__(self, folder, names):
        self.folder = folder
        key, leaf_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        name, leaf_name = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
                           for text in ("An authority of a test", names[0]))
        authority = self.certificate(name, name, key, key, x509.BasicConstraints(ca=True, path_length=0))
        alternatives = x509.SubjectAlternativeName([x509.DNSName(each) for each in names])
        leaf = self.certificate(leaf_name, name, leaf_key, key, alternatives)
        self.path = self.write("authority.pem", authority.public_bytes(serialization.Encoding.PEM))
        self.certificate_path = self.write("bank.pem", leaf.public_bytes(serialization.Encoding.PEM))
        self.key_path = self.write("bank.key", leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        public = leaf_key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.leaf_hash = base64.b64encode(hashlib.sha256(public).digest()).decode()

    @staticmethod
    def certificate(subject, issuer, key, signing_key, extension):
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number(), now - day,
                                          now + day)
        return builder.add_extension(extension, critical=False).sign(signing_key, hashes.SHA256())

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path
