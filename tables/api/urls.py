"""Addresses of the dealer's API."""

from django.urls import path

from tables.api import views

urlpatterns = [
    path("sessions/<int:session_id>/plan", views.PlanView.as_view(), name="api-plan"),
    path("sessions/<int:session_id>/rounds", views.RoundsView.as_view(), name="api-rounds"),
    path("sessions/<int:session_id>/discrepancies", views.DiscrepancyView.as_view(), name="api-discrepancy"),
    path("rounds/<int:round_id>", views.RoundView.as_view(), name="api-round"),
    path("rounds/<int:round_id>/draft", views.DraftView.as_view(), name="api-draft"),
    path("rounds/<int:round_id>/settle", views.SettleView.as_view(), name="api-settle"),
    path("rounds/<int:round_id>/void", views.VoidView.as_view(), name="api-void"),
    path("rounds/<int:round_id>/corrections", views.CorrectionsView.as_view(), name="api-corrections"),
    path(
        "rounds/<int:round_id>/corrections/check",
        views.CheckCorrectionView.as_view(),
        name="api-check-correction",
    ),
    path("corrections/<int:correction_id>/approve", views.ApproveView.as_view(), name="api-approve"),
    path("corrections/<int:correction_id>/refuse", views.RefuseView.as_view(), name="api-refuse"),
]
