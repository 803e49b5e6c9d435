"""URLs of the project; each app adds its own urls.py."""

from django.urls import include, path

from casino import views
from casino.doors import factors, second_step, terminals, waiting
from casino.house import views as house
from casino.staff import views as staff

STAFF = [
    path("", staff.Everybody.as_view(), name="staff"),
    path("access/", staff.AccessPage.as_view(), name="staff-access"),
    path("hire/", staff.Hire.as_view(), name="staff-hire"),
    path("locks/<int:lock_id>/", staff.LiftLock.as_view(), name="staff-lift-lock"),
    path("<int:person_id>/", staff.PersonPage.as_view(), name="staff-person"),
    path("<int:person_id>/code/", staff.MakeCode.as_view(), name="staff-code"),
    path("<int:person_id>/second-steps/", staff.ResetFactors.as_view(), name="staff-reset-factors"),
    path("<int:person_id>/let-go/", staff.LetGo.as_view(), name="staff-let-go"),
    path("<int:person_id>/take-back/", staff.TakeBack.as_view(), name="staff-take-back"),
]
HOUSE = [
    path("", house.desk, name="house"),
    path("who/", house.acts_page, name="who-did-what"),
    path("system/", house.system_page, name="system"),
    path("particulars/", house.ChangeParticulars.as_view(), name="house-particulars"),
]
SET_UP = [
    path("", house.SetUpHouse.as_view(), name="set-up"),
    path("manager/", house.SetUpManager.as_view(), name="set-up-manager"),
]

urlpatterns = [
    # First, because dealers wait for it, and Django tries every pattern before the matching one.
    path("api/", include("tables.api.urls")),
    path("", views.home, name="home"),
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/badge/", second_step.BadgeSignIn.as_view(), name="sign-in-badge"),
    path("sign-in/second-step/", second_step.SecondStep.as_view(), name="second-step"),
    path("sign-in/passkey/", second_step.PasskeySignIn.as_view(), name="sign-in-passkey"),
    path("second-steps/", factors.OwnSteps.as_view(), name="steps"),
    path("second-steps/app/", factors.AddApp.as_view(), name="add-app"),
    path("second-steps/passkey/", factors.AddPasskey.as_view(), name="add-passkey"),
    path("second-steps/remove/", factors.RemoveStep.as_view(), name="remove-step"),
    path("second-steps/codes/", factors.NewCodes.as_view(), name="new-codes"),
    path("signed-in/", factors.OwnPlaces.as_view(), name="places"),
    path("terminals/", terminals.Terminals.as_view(), name="terminals"),
    path("terminals/revoke/", terminals.RevokeTerminal.as_view(), name="revoke-terminal"),
    path("tv/", waiting.tv, name="tv"),
    path("wait/<slug:token>/", waiting.wait, name="wait"),
    path("waiting/places/<int:place_id>/page/", waiting.MakePage.as_view(), name="place-page"),
    path("tokens/", terminals.Tokens.as_view(), name="tokens"),
    path("tokens/revoke/", terminals.RevokeToken.as_view(), name="revoke-token"),
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
    path("set-up/", include(SET_UP)),
    path("house/staff/", include(STAFF)),
    path("house/", include(HOUSE)),
    path("", include("ledger.urls")),
    path("", include("tables.urls")),
]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
