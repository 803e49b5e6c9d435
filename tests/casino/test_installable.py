"""The pages can be installed on a tablet: a manifest that every page names, with an icon that is there."""

import json
from urllib.parse import urljoin

from django.contrib.staticfiles import finders
from django.templatetags.static import static


def test_every_page_names_a_manifest_whose_icons_are_there(client, db):
    address = static("icons/app.json")
    assert f'<link rel="manifest" href="{address}">' in client.get("/sign-in/").content.decode()
    answer = client.get(address)
    assert answer["Content-Type"].startswith("application/json")
    manifest = json.loads(b"".join(answer))
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        name = urljoin(address, icon["src"]).removeprefix(static(""))
        assert finders.find(name), icon


def test_the_dealers_page_is_installed_as_itself_so_that_it_opens_without_the_network(client, game):
    game.seat("Ann", "Bob")
    client.force_login(game.dealer)
    address = static("icons/dealer.json")
    page = client.get(f"/dealer/sessions/{game.session.pk}/").content.decode()
    assert f'<link rel="manifest" href="{address}">' in page
    assert json.loads(b"".join(client.get(address)))["start_url"] == "/dealer/"
