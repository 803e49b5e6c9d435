"""The product's URLs, and an empty view for signed-in people."""

from django.http import HttpResponse
from django.urls import path

from casino import urls


def nothing(_request):
    return HttpResponse()


urlpatterns = [path("nothing/", nothing), *urls.urlpatterns]
