"""Pages as tests read them."""


def words(html):
    """The page without the marks that isolate a name's direction: `<bdi>Ann</bdi> 3` reads `Ann 3`."""
    return html.replace("<bdi>", "").replace("</bdi>", "")
