"""Pages as tests read them."""

import re

# When a page was made or asked for, its tokens, and the keys of its forms.
ANEW = re.compile(r'data-now="[^"]*"|since=[0-9.]+|\b(?:\w{64}|[0-9a-f]{32})\b')


def steady(answer):
    """Return the text of a page without what is other each time, in which any figure may stand by chance."""
    body = b"".join(answer) if answer.streaming else answer.content
    return ANEW.sub("", body.decode("utf-8", "replace"))


def words(html):
    """Strip the marks that isolate a name's direction: `<bdi>Ann</bdi> 3` becomes `Ann 3`."""
    return html.replace("<bdi>", "").replace("</bdi>", "")
