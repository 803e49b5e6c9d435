"""The admin under /manage/: Django's own, for emergencies. Only a superuser, made on the machine itself, comes in."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator


class HouseAdminSite(AdminSite):
    """The stock site; a second sign-in form would get round the wait after wrong passwords."""

    site_header = "House management"
    site_title = "House management"
    index_title = "Staff"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Superusers come in, by their password alone. What managers keep is at their own desk, below /house/."""
        person = request.user
        return bool(person.is_active and person.is_superuser and person.within is None)

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Send whoever is not signed in to the sign-in page, and refuse everybody else."""
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or request.get_full_path())
