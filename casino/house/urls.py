"""Addresses of the manager's desk, below /house/."""

from django.urls import path

from casino.house import views

urlpatterns = [
    path("", views.desk, name="house"),
]
