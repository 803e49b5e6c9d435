"""Addresses of the floor: pages, the live stream and the dealer's API."""

from django.urls import include, path

from tables.views import dealer, live

urlpatterns = [
    path("api/", include("tables.api.urls")),
    path("live/", live.stream, name="live"),
    path("dealer/", dealer.choose, name="dealer"),
    path("dealer/sessions/<int:session_id>/", dealer.deal, name="dealer-session"),
]
