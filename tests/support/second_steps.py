"""An authenticator app and a passkey without their devices."""

from hashlib import sha256

from allauth.mfa.totp.internal import auth as app_codes
from allauth.mfa.webauthn.internal import auth as passkeys
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CHALLENGE = b"what the device is asked to sign"
FLAG = AuthenticatorData.FLAG
OPENED = {
    app_codes.SECRET_SESSION_KEY: SECRET,
    passkeys.STATE_SESSION_KEY: {"challenge": websafe_encode(CHALLENGE), "user_verification": "required"},
}
"""The session of somebody who has opened the pages that set them up."""


def shown(secret=SECRET):
    counter = list(app_codes.yield_hotp_counters_from_time())[1]
    return app_codes.format_hotp_value(app_codes.hotp_value(secret, counter))


def made_passkey(name, host="testserver"):
    """Return a browser's answer for a passkey just made for `host`; each name makes another one."""
    key = ec.derive_private_key(int.from_bytes(sha256(name.encode()).digest()), ec.SECP256R1())
    public = ES256.from_cryptography_key(key.public_key())
    credential = AttestedCredentialData.create(bytes(16), sha256(name.encode()).digest(), public)
    flags = FLAG.UP | FLAG.UV | FLAG.AT
    of_device = AuthenticatorData.create(sha256(host.encode()).digest(), flags, 0, credential)
    said = CollectedClientData.create(CollectedClientData.TYPE.CREATE, CHALLENGE, f"https://{host}")
    response = {
        "clientDataJSON": websafe_encode(said),
        "attestationObject": websafe_encode(AttestationObject.create("none", of_device, {})),
    }
    number = websafe_encode(credential.credential_id)
    return {"id": number, "rawId": number, "type": "public-key", "response": response}


def has_passkey(person, name):
    return passkeys.WebAuthn.add(person, name, made_passkey(name)).instance
