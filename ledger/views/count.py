"""The count room: boxes that wait, and counting one in two steps. It never asks for what the books expect
or what the other counter found."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from ledger.cage import boxes as drops
from ledger.journal.particulars import of_the_house
from ledger.models import DropBox
from ledger.rights import COUNT_BOXES
from ledger.views.day import the_site
from ledger.views.forms import CountForm
from ledger.views.pages import FormPage, read_by

ENTERED = "Box {number}: entered. Waiting for the second counter."
DIFFER = "Box {number}: entered. The two counts differ: count again, both of you."
AGREE = "Box {number}: entered. Both counts agree. The box is ready for the cashier."


@read_by(COUNT_BOXES)
def boxes(request: HttpRequest) -> HttpResponse:
    states = [(state, state.waits_for(request.user)) for state in drops.boxes_to_count(request.user)]
    return render(request, "cage/count.html", {"site": the_site(), "boxes": states})


class CountBox(FormPage):
    rights = (COUNT_BOXES,)
    room = "count room"
    form_class = CountForm
    template = "cage/count_box.html"
    box: DropBox

    def find(self, box_id: int) -> None:
        self.box = get_object_or_404(DropBox.objects.select_related("site"), of_the_house(), pk=box_id)

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Handle `step` review, change or confirm; only confirm writes anything."""
        form, step = CountForm(request.POST), request.POST.get("step")
        if step == "confirm" or not form.is_valid():
            return super().post(request, **found_by)
        if step == "review":
            return render(request, "cage/count_review.html", self.facts(form))
        return self.shown(form)

    def do(self, form: CountForm) -> str:
        entry = form.cleaned_data
        drops.enter_count(box=self.box, chips=entry["chips"], cash=entry["cash"], act=self.act(form))
        return ENTERED

    def done(self, sentence: str, form: CountForm) -> HttpResponse:
        state = drops.count_state(self.box)
        differ = state.again and not state.counted_by
        sentence = AGREE if state.agreed else DIFFER if differ else sentence
        level = messages.warning if differ else messages.success
        level(self.request, sentence.format(number=self.box.number))
        return redirect("count")

    def facts(self, form: CountForm) -> dict[str, Any]:
        state = drops.count_state(self.box)
        mine = state.waits_for(self.request.user)
        return {"site": self.box.site, "box": self.box, "state": state, "mine": mine, "form": form}
