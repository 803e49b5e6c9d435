"""URLs of the project; each app adds its own urls.py."""

from django.urls import include, path

from casino import views
from casino.house.urls import first_start

urlpatterns = [
    # First, because dealers wait for it, and Django tries every pattern before the matching one.
    path("api/", include("tables.api.urls")),
    path("", views.home, name="home"),
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("", include("casino.doors.urls")),
    path("pin/", views.OwnPin.as_view(), name="pin"),
    path("password/", views.OwnPassword.as_view(), name="password"),
    path("mail/", views.OwnMail.as_view(), name="mail"),
    path("first/", views.OwnFirst.as_view(), name="first"),
    path("sign-out/", views.SignOut.as_view(), name="sign-out"),
    path("healthz", views.healthz, name="healthz"),
    *(
        path(f"healthz/{use}", views.healthz, {"use": use}, name=f"healthz-{use}")
        for use in ("alive", "ready", "well")
    ),
    path("favicon.ico", views.icon),
    path("design/", views.design, name="design"),
    path("set-up/", include(first_start)),
    path("house/staff/", include("casino.staff.urls")),
    path("house/", include("casino.house.urls")),
    path("", include("ledger.urls")),
    path("", include("tables.urls")),
]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
