"""URLs of the manager's desk, below /house/, and of the first start."""

from django.urls import path

from casino.house import views

urlpatterns = [
    path("", views.desk, name="house"),
    path("who/", views.acts_page, name="who-did-what"),
    path("system/", views.system_page, name="system"),
    path("particulars/", views.ChangeParticulars.as_view(), name="house-particulars"),
]

# Outside /house/: nobody is signed in there.
first_start = [
    path("", views.SetUpHouse.as_view(), name="set-up"),
    path("manager/", views.SetUpManager.as_view(), name="set-up-manager"),
]
