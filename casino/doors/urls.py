"""URLs of the sign-in pages, below the root."""

from django.urls import path

from casino.doors import factors, second_step, terminals, waiting

urlpatterns = [
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
]
