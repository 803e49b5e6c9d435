"""Second steps of signing in: authenticator apps, passkeys, recovery codes, stored by allauth. App secrets
and the seed of the codes are encrypted with a key derived from SECRET_KEY. Each app code works once; its
counter is stored in the row, because a cache could lose it."""

import base64
import struct
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from casino.models import Staff
from casino.sign_in import noting
from casino.sign_in.allauth_parts import RecoveryCodes, app_codes, passkeys
from casino.sign_in.attempts import At, Attempt
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.views.day import site_here
from tables.errors import StalePage
from tables.rules.game.strict_json import read_json

Type = Authenticator.Type
STEPS = (Type.TOTP, Type.WEBAUTHN)
"""The second steps proper; recovery codes stand in for one."""
DEMANDED_OF = frozenset({"manager", "floor", "cashier", "compliance", "regulator"})
PUT_OFF_FOR = timedelta(hours=24)
NO_PASSKEY = (
    *(ValidationError, ValueError, LookupError, TypeError, AttributeError, RecursionError),
    struct.error,
)
"""Exceptions that the libraries raise for malformed answers."""


class WrongCode(LedgerError):
    """The code, or the passkey, is not this person's, or was used already."""


class LostFactor(LedgerError, status=409):
    """The second step was encrypted with another SECRET_KEY. A manager removes it, and a new one is set
    up."""


class LastFactor(LedgerError, status=409):
    """This person's work needs a second step, and this is their last one. Add another one first."""


class HouseFactors(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: Any) -> str:
        return str(user.get_username())

    def get_totp_issuer(self) -> str:
        site = site_here()
        return site.name if site else "Casino Tables"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": self.get_totp_issuer()}

    def get_public_key_credential_user_entity(self, user: Any) -> dict[str, Any]:
        return {**super().get_public_key_credential_user_entity(user), "name": self.get_totp_label(user)}


def is_demanded(person: Staff) -> bool:
    return not settings.DEMO and (person.is_superuser or bool(person.roles & DEMANDED_OF))


def has_step(person: Staff) -> bool:
    return bool(Authenticator.objects.filter(user=person, type__in=STEPS).exists())


def must_add(person: Staff, now: datetime, *, is_terminal: bool) -> bool:
    """Return whether a second step must be set up first: where demanded, and away from terminals."""
    if settings.DEMO or has_step(person):
        return False
    waits = person.factor_due is not None and now < person.factor_due
    return not waits if is_demanded(person) else not is_terminal


def may_put_off(person: Staff) -> bool:
    return person.factor_due is None and is_demanded(person)


def put_off(person: Staff, now: datetime) -> None:
    """Put setting up the second step off for a day. Refuses `stale_page` if that is not possible."""
    if not is_demanded(person):
        raise StalePage("Set up a second step, or sign in on a terminal of the house.")
    if not Staff.objects.filter(pk=person.pk, factor_due=None).update(factor_due=now + PUT_OFF_FOR):
        raise StalePage("The second step was put off once already: set it up now.")


def steps_of(person: Staff) -> list[Authenticator]:
    return list(Authenticator.objects.filter(user=person, type__in=STEPS).order_by("created_at", "pk"))


def codes_left(person: Staff) -> int:
    codes_row = Authenticator.objects.filter(user=person, type=Type.RECOVERY_CODES).first()
    try:
        return len(codes_row.wrap().get_unused_codes()) if codes_row else 0
    except InvalidToken:  # encrypted with another SECRET_KEY
        return 0


def add_app(person: Staff, secret: str, typed: str, act: Act) -> list[str]:
    """Add an app, proved by a code, which is used up; return recovery codes with the first step. Refuses
    `wrong_code`, and `stale_page` if there is an app already."""
    used = _half_minute_of(secret, unspaced(typed))
    if used is None:
        raise WrongCode(
            "The app shows another code. Look whether its clock is right, and try again.", field="code"
        )
    with transaction.atomic():
        Staff.objects.select_for_update().get(pk=person.pk)
        if Authenticator.objects.filter(user=person, type=Type.TOTP).exists():
            raise StalePage("An app is set up already. Remove it first.")
        step = app_codes.TOTP.activate(person, secret).instance
        step.data["used"] = used
        step.save(update_fields=["data"])
        return _added(person, step, act)


def add_passkey(person: Staff, name: str, credential: str, act: Act) -> list[str]:
    """Add a passkey; return recovery codes with the first step. Refuses `wrong_code`."""
    try:
        made = _read(credential)
        passkeys.parse_registration_response(made)
        passkeys.complete_registration(made)
    except NO_PASSKEY:
        raise WrongCode("This passkey was not made for here. Try again.") from None
    with transaction.atomic():
        return _added(person, passkeys.WebAuthn.add(person, name.strip() or "Passkey", made).instance, act)


def remove(person: Staff, step_id: int, act: Act) -> None:
    """Refuses `last_factor` where the work needs one, and `stale_page`."""
    with transaction.atomic():
        Staff.objects.select_for_update().get(pk=person.pk)
        steps = {step.pk: step for step in steps_of(person)}
        if step_id not in steps:
            raise StalePage("It has been removed already.")
        if len(steps) == 1 and is_demanded(person):
            raise LastFactor("Your work needs a second step: add another one before you remove this one.")
        _removed(person, steps[step_id], act)
        if len(steps) == 1:
            Authenticator.objects.filter(user=person).delete()


def remove_all(person: Staff, act: Act) -> None:
    for step in steps_of(person):
        _removed(person, step, act)
    Authenticator.objects.filter(user=person).delete()
    Staff.objects.filter(pk=person.pk).update(factor_due=None)


def new_codes(person: Staff, act: Act) -> list[str]:
    with transaction.atomic():
        Authenticator.objects.filter(user=person, type=Type.RECOVERY_CODES).delete()
        recovery = RecoveryCodes.activate(person)
        noting.note("factor_added", act=act, staff=person.pk, factor=Type.RECOVERY_CODES, name="")
    codes: list[str] = recovery.get_unused_codes()
    return codes


def prove_code(person: Staff, typed: str, request: HttpRequest) -> str:
    """Return what the code is from: `totp` or `recovery_codes`. Wrong ones count like wrong passwords.
    Refuses `wrong_code`, and `lost_factor` where no secret can be decrypted."""
    with Attempt(At.FACTOR, person.username, request) as attempt:
        by = _which_has(person, unspaced(typed))
        if by is not None:
            by.record_usage()
            attempt.succeeded()
    if by is None:
        raise WrongCode("This code is not right, or was used already.", field="code")
    return str(by.type)


def prove_passkey(person: Staff | None, credential: str, request: HttpRequest) -> Staff:
    """Return the owner of the passkey that answered: `person`, or whom it names. Refuses `wrong_code`."""
    owner = None
    with Attempt(At.FACTOR, person.username if person else "", request) as attempt, suppress(*NO_PASSKEY):
        owner = _answered(person, credential)
        attempt.succeeded()
    if owner is None:
        raise WrongCode("This passkey is not known here.")
    return owner


def _answered(person: Staff | None, credential: str) -> Staff:
    answer = _read(credential)
    passkeys.parse_authentication_response(answer)
    owner: Staff = person or passkeys.extract_user_from_response(answer)
    passkey = passkeys.complete_authentication(owner, answer)
    if not owner.is_active or (owner.must_renew and person is None):
        raise ValueError("this person does not come in by it alone")
    passkey.record_usage()
    return owner


def passkey_options(person: Staff | None = None) -> dict[str, Any]:
    options: dict[str, Any] = passkeys.begin_authentication(person)
    return options


def new_passkey_options(person: Staff) -> dict[str, Any]:
    """Return the browser's options for making a passkey that also signs in by itself."""
    options: dict[str, Any] = passkeys.begin_registration(person, passwordless=True)
    return options


def _added(person: Staff, step: Authenticator, act: Act) -> list[str]:
    noting.note("factor_added", act=act, staff=person.pk, factor=step.type, name=_name(step))
    has_codes = Authenticator.objects.filter(user=person, type=Type.RECOVERY_CODES).exists()
    return [] if has_codes else new_codes(person, act)


def _removed(person: Staff, step: Authenticator, act: Act) -> None:
    step.delete()
    noting.note("factor_removed", act=act, staff=person.pk, factor=step.type, name=_name(step))


def _which_has(person: Staff, digits: str) -> Authenticator | None:
    """Return the factor with this code, used up now. Refuses `lost_factor` if none can be decrypted."""
    unreadable = 0
    factors = Authenticator.objects.filter(user=person).exclude(type=Type.WEBAUTHN)
    for kept in factors:
        try:
            if kept.type == Type.TOTP:
                is_right = _take_app_code(kept.pk, digits)
            else:
                is_right = kept.wrap().validate_code(digits)
        except InvalidToken:
            unreadable += 1
            continue
        if is_right:
            return kept
    if unreadable and unreadable == len(factors):
        raise LostFactor(
            "The house cannot read your second step any more: have a manager remove it.", field="code"
        )
    return None


def _take_app_code(step_id: int, digits: str) -> bool:
    """Return whether the app shows this code now; use up it and all earlier ones."""
    with transaction.atomic():
        step = Authenticator.objects.select_for_update().get(pk=step_id)
        used = _half_minute_of(decrypt(step.data["secret"]), digits, after=step.data.get("used", 0))
        if used is not None:
            step.data["used"] = used
            step.save(update_fields=["data"])
    return used is not None


def _half_minute_of(secret: str, digits: str, *, after: int = 0) -> int | None:
    """Return the counter, within a half minute of now and above `after`, whose code this is, or None."""
    for counter in app_codes.yield_hotp_counters_from_time():
        if counter > after and app_codes.format_hotp_value(app_codes.hotp_value(secret, counter)) == digits:
            return int(counter)
    return None


def _name(step: Authenticator) -> str:
    return str(step.data.get("name", ""))


def _read(credential: str) -> dict[str, Any]:
    answer = read_json(credential)
    if not isinstance(answer, dict):
        raise TypeError("a passkey answers with an object")
    return answer


def unspaced(typed: str) -> str:
    return typed.replace(" ", "").replace("-", "")


def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(sha256(f"factors {settings.SECRET_KEY}".encode()).digest()))
