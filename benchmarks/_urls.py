"""The product's addresses, and a view that answers nothing to whoever is signed in."""

from django.http import HttpResponse
from django.urls import path

from casino import urls


def nothing(_request):
    return HttpResponse()


urlpatterns = [path("nothing/", nothing), *urls.urlpatterns]
