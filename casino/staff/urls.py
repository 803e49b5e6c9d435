"""URLs of the staff pages, below /house/staff/."""

from django.urls import path

from casino.staff import views

urlpatterns = [
    path("", views.Everybody.as_view(), name="staff"),
    path("access/", views.AccessPage.as_view(), name="staff-access"),
    path("hire/", views.Hire.as_view(), name="staff-hire"),
    path("locks/<int:lock_id>/", views.LiftLock.as_view(), name="staff-lift-lock"),
    path("<int:person_id>/", views.PersonPage.as_view(), name="staff-person"),
    path("<int:person_id>/code/", views.MakeCode.as_view(), name="staff-code"),
    path("<int:person_id>/second-steps/", views.ResetFactors.as_view(), name="staff-reset-factors"),
    path("<int:person_id>/let-go/", views.LetGo.as_view(), name="staff-let-go"),
    path("<int:person_id>/take-back/", views.TakeBack.as_view(), name="staff-take-back"),
]
