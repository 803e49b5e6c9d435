"""The books in Django's admin: to be looked at. Only a site's particulars can be changed there."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from ledger.models import (
    Account,
    AuditRecord,
    Checkpoint,
    ClosedDay,
    Cosignature,
    Count,
    DropBox,
    DropSignOff,
    HouseEvent,
    JournalEntry,
    Site,
    Transfer,
)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that the verbs alone write."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Site)
class SiteAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "licence", "time_zone", "day_starts_at", "demo"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ["label", "kind", "asset", "balance_cents", "opened_at", "sealed_at", "closed_at"]
    list_filter = ["kind", "asset"]


class TransferInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Transfer
    fields = ["line", "source", "target", "asset", "cents"]
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("source", "target")


@admin.register(JournalEntry)
class JournalEntryAdmin(ReadOnlyAdmin):
    list_display = ["pk", "kind", "gaming_day", "occurred_at", "recorded_at", "actor", "approver", "key"]
    list_filter = ["kind"]
    list_select_related = ["actor", "approver"]
    search_fields = ["key"]
    inlines = [TransferInline]


@admin.register(DropBox)
class DropBoxAdmin(ReadOnlyAdmin):
    list_display = ["number", "place", "gaming_day", "installed_at", "pulled_at"]


@admin.register(Count)
class CountAdmin(ReadOnlyAdmin):
    """Counts are shown to nobody who may still count: the view right is not given with count_boxes."""

    list_display = ["box", "attempt", "counter", "chips_cents", "cash_cents", "counted_at"]
    list_select_related = ["box", "counter"]


@admin.register(DropSignOff)
class DropSignOffAdmin(ReadOnlyAdmin):
    list_display = [
        "box",
        "signed_by",
        "signed_at",
        "expected_chips",
        "counted_chips",
        "expected_cash",
        "counted_cash",
    ]
    list_select_related = ["box", "signed_by"]


@admin.register(ClosedDay)
class ClosedDayAdmin(ReadOnlyAdmin):
    list_display = ["gaming_day", "closed_at", "closed_by", "entries"]
    list_select_related = ["closed_by"]


@admin.register(HouseEvent)
class HouseEventAdmin(ReadOnlyAdmin):
    list_display = ["kind", "at", "actor", "terminal"]
    list_filter = ["kind"]
    list_select_related = ["actor"]


@admin.register(AuditRecord)
class AuditRecordAdmin(ReadOnlyAdmin):
    list_display = ["pk", "kind", "subject", "recorded_at"]
    list_filter = ["kind"]


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ["size", "signed_at", "key_fingerprint"]


@admin.register(Cosignature)
class CosignatureAdmin(ReadOnlyAdmin):
    list_display = ["witness", "signed_at", "checkpoint"]
    list_select_related = ["checkpoint"]
