"""The count room: boxes that wait, and entering what is in one, in two steps.

Nothing here says what the books expect or what the other counter found; this file asks for neither.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views import View
from django.views.decorators.http import require_safe

from ledger.cage import boxes as drops
from ledger.errors import Refusal
from ledger.journal.particulars import of_the_house
from ledger.models import DropBox
from ledger.rights import COUNT_BOXES, require
from ledger.views.day import the_site
from ledger.views.forms import CountForm
from ledger.views.terminal import act_of

ROOM = "count room"
ENTERED = "Box {number}: entered. Waiting for the second counter."
DIFFER = "Box {number}: entered. The two counts differ: count again, both of you."
AGREE = "Box {number}: entered. Both counts agree. The box is ready for the cashier."


@require_safe
def boxes(request: HttpRequest) -> HttpResponse:
    """The boxes that wait to be counted, with whose turn it is."""
    require(request.user, COUNT_BOXES)
    states = [(state, state.waits_for(request.user)) for state in drops.boxes_to_count(request.user)]
    return render(request, "cage/count.html", {"site": the_site(), "boxes": states})


class CountBox(View):
    """Counting one box: enter, look again, confirm."""

    box: DropBox

    def dispatch(self, request: HttpRequest, *args: Any, box_id: int, **rest: Any) -> HttpResponseBase:
        require(request.user, COUNT_BOXES)
        self.box = get_object_or_404(DropBox.objects.select_related("site"), of_the_house(), pk=box_id)
        return super().dispatch(request, *args, **rest)

    def get(self, request: HttpRequest) -> HttpResponse:
        """An empty form, or why there is nothing to count."""
        return self._page(CountForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """`step` is review, change or confirm; only confirm writes anything."""
        form = CountForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        match request.POST.get("step"):
            case "confirm":
                return self._confirmed(form)
            case "review":
                return render(request, "cage/count_review.html", self._facts(form))
            case _:
                return self._page(form)

    def _confirmed(self, form: CountForm) -> HttpResponse:
        try:
            drops.enter_count(
                box=self.box,
                chips=form.cleaned_data["chips"],
                cash=form.cleaned_data["cash"],
                act=act_of(self.request, ROOM, key=form.cleaned_data["key"]),
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self._page(form)
        state = drops.count_state(self.box)
        differ = state.again and not state.counted_by
        said = AGREE if state.agreed else DIFFER if differ else ENTERED
        level = messages.warning if differ else messages.success
        level(self.request, said.format(number=self.box.number))
        return redirect("count")

    def _page(self, form: CountForm) -> HttpResponse:
        return render(self.request, "cage/count_box.html", self._facts(form), status=form.status)

    def _facts(self, form: CountForm) -> dict[str, Any]:
        state = drops.count_state(self.box)
        mine = state.waits_for(self.request.user)
        return {"site": self.box.site, "box": self.box, "state": state, "mine": mine, "form": form}
