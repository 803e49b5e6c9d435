"""A table's bank, a drawer or the vault that was counted with a difference: it is signed off with its
cause."""

from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode

from ledger.cage import banks
from ledger.cage.signing import ran_session
from ledger.journal.bank_differences import difference_of
from ledger.reports import traces
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS
from ledger.views.pages import FormPage
from tables.views.cage.day import ROOM
from tables.views.cage.signing import SigningForm, asks_for_two


class Bank(FormPage):
    rights = banks.SIGNERS
    readers = (READ_BOOKS,)
    room = ROOM
    template = "cage/bank.html"

    def find(self, entry_id: int) -> None:
        found = difference_of(entry_id, self.site)
        if found is None:
            raise Http404
        self.found, self.two = found, asks_for_two(self.site, found.chips_cents, found.cash_cents)
        self.barred = {*found.barred, *ran_session(found.session)}

    def form(self, data: Any = None) -> SigningForm:
        return SigningForm(data, request=self.request, two=self.two, barred=self.barred)

    def do(self, form: SigningForm) -> str:
        act = self.act(form, approver=form.second_person)
        said = {name: form.cleaned_data[name] for name in ("cause", "evidence")}
        banks.sign_off_bank(site=self.site, entry_id=self.found.entry.pk, **said, act=act)
        return f"The difference in {self.found} is signed off."

    def back(self) -> str:
        day = self.found.entry.gaming_day
        if not self.request.user.has_perm(SIGN_OFF_DROPS):
            return reverse("audit-day", args=[day])
        return f"{reverse('cashier-vault')}?{urlencode({'day': str(day)})}"

    def facts(self, form: SigningForm) -> dict[str, Any]:
        person = self.request.user
        form.require_cause()
        barred = person.pk in self.barred
        rights = banks.SIGNERS if self.found.session is None else (SIGN_OFF_DROPS,)
        may_sign = self.found.open and not barred and any(map(person.has_perm, rights))
        return {
            "site": self.site,
            "bank": self.found,
            "traces": traces.traces(self.site, person, traces.of_bank(self.found.entry, self.found.signed)),
            "barred": barred,
            "two": self.two,
            "may_sign": may_sign,
        }
