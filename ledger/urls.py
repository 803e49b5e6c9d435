"""The addresses of the books: journal downloads, the trial balance, and so on."""

from datetime import date

from django.urls import path, register_converter

from ledger.views import api, controls, exceptions, exclusions, journal, log, papers


class DayConverter:
    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """Return the day; an impossible one gives 404."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


register_converter(DayConverter, "day")

urlpatterns = [
    path("api/books/papers", api.PapersView.as_view(), name="api-papers"),
    path("api/books/papers/<slug:name>.<slug:form>", api.PaperView.as_view(), name="api-paper"),
    path("api/books/records.jsonl", api.RecordsView.as_view(), name="api-records"),
    path("exclusions/", exclusions.Listed.as_view(), name="exclusions"),
    path("exclusions/looks/", exclusions.looks, name="exclusion-looks"),
    path("exclusions/<int:exclusion_id>/lift/", exclusions.Lift.as_view(), name="lift-exclusion"),
    path("audit/days/<day:day>/journal.csv", journal.journal_csv, name="journal-csv"),
    path("audit/days/<day:day>/journal.jsonl", journal.journal_jsonl, name="journal-jsonl"),
    path("audit/days/<day:day>/staff.csv", journal.staff_csv, name="staff-csv"),
    path("audit/days/<day:day>/closing-balances.csv", journal.closing_csv, name="closing-csv"),
    path("audit/log/", log.log_page, name="audit-log"),
    path("audit/log/records/<slug:record_kind>/<int:subject>/", log.record_page, name="audit-record"),
    path("audit/log/checkpoint.txt", log.checkpoint, name="audit-checkpoint"),
    path("audit/log/export.zip", log.export, name="audit-export"),
    path("audit/log/withheld/", log.withheld, name="withheld"),
    path("audit/log/withheld/<int:batch_id>/", log.OpenWithheld.as_view(), name="open-withheld"),
    path("audit/exceptions/", exceptions.listed, name="exceptions"),
    path("controls/", controls.ControlsPage.as_view(), name="controls"),
    path("controls/<slug:control>/", controls.ControlPage.as_view(), name="control"),
    path("audit/papers/", papers.listed, name="papers"),
    path("audit/papers/kept/", papers.KeepPaper.as_view(), name="keep-paper"),
    path("audit/papers/kept/<int:number>/", papers.take_kept, name="kept-paper"),
    path("audit/papers/kept/<int:number>/cancel/", papers.CancelPaper.as_view(), name="cancel-paper"),
    path("audit/papers/<slug:name>.<slug:form>", papers.take, name="paper"),
    path("audit/balance/", journal.trial_balance, name="trial-balance"),
    path("audit/balance.csv", journal.trial_balance_csv, name="trial-balance-csv"),
    path("audit/accounts/<int:account_id>/statement.csv", journal.account_csv, name="account-csv"),
]
