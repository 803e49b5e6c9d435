"""The undocumented parts of django-allauth in use: apps, passkeys and recovery codes without its pages.
`tests/test_frameworks.py` pins the versions they were tried with."""

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes as RecoveryCodes
from allauth.mfa.totp.internal import auth as app_codes
from allauth.mfa.webauthn.internal import auth as passkeys

__all__ = ["RecoveryCodes", "app_codes", "passkeys"]
