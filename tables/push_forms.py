"""The forms of a push: who comes in, proved by PIN."""

from typing import Any, ClassVar

from django import forms

from tables.dealers import with_pins
from tables.forms import FloorForm, PinField, proved

NOBODY = "(nobody)"  # no name of a member of staff has brackets


class PushForm(FloorForm):
    """Who comes in at a table, with their PIN; `dealer` is who that is, None where nobody comes in yet."""

    beside: ClassVar = {"dealer": "comes"}
    use_required_attribute = False  # where nobody comes in there is no PIN to type
    halves = frozenset({"comes", "pin"})

    comes = forms.CharField(label="Who comes in", max_length=150, widget=forms.Select)
    pin = PinField(label="Their PIN")

    def __init__(self, *args: Any, request: Any, session: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request, self.dealer = request, None
        people = [(str(one), str(one)) for one in with_pins("deal") if one.pk != session.dealer_id]
        self.fields["comes"].widget.choices = [("", "Choose a dealer"), *people]
        if session.dealer_id is not None:
            self.fields["comes"].widget.choices.append((NOBODY, "Nobody yet"))

    def clean(self) -> dict[str, Any]:
        """Prove the dealer (`wrong_pin`, `too_many_attempts`)."""
        cleaned = super().clean() or self.cleaned_data
        comes, pin = cleaned.get("comes"), cleaned.get("pin")
        if comes == NOBODY:
            self._errors.pop("pin", None)
        elif comes and pin:
            self.dealer = proved(self, self.request, comes, "pin")
        return cleaned


class OwnPinForm(FloorForm):
    """Taking a table that has no dealer: the own PIN."""

    pin = PinField(label="Your PIN")

    def __init__(self, *args: Any, request: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request

    def clean(self) -> dict[str, Any]:
        """Refuse another PIN than one's own (`wrong_pin`, `too_many_attempts`)."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("pin"):
            proved(self, self.request, self.request.user.get_username(), "pin")
        return cleaned
