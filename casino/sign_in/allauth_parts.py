"""What is used of django-allauth past its documentation: apps, passkeys and recovery codes without its pages.

It stands here alone, and `tests/test_frameworks.py` says with which versions it was tried.
"""

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes as RecoveryCodes
from allauth.mfa.totp.internal import auth as app_codes
from allauth.mfa.webauthn.internal import auth as passkeys

__all__ = ["RecoveryCodes", "app_codes", "passkeys"]
