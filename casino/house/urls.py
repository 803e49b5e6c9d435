"""Addresses of the manager's desk, below /house/."""

from django.urls import path

from casino.house import acts_page, particulars_page, set_up_pages, views

urlpatterns = [
    path("", views.desk, name="house"),
    path("who/", acts_page.acts_page, name="who-did-what"),
    path("particulars/", particulars_page.ChangeParticulars.as_view(), name="house-particulars"),
]

# Outside /house/: nobody is signed in there.
first_start = [
    path("", set_up_pages.SetUpHouse.as_view(), name="set-up"),
    path("manager/", set_up_pages.SetUpManager.as_view(), name="set-up-manager"),
]
