"""The paper of the system: what the house runs on, as its log states it. Pure."""

from ledger.papers.paper import PartsPaper, declare_papers


class SystemPaper(PartsPaper):
    """A line for each fact of each statement. The program makes one when it starts on something else than
    before."""

    name = "system.csv"
    title = "System"
    purpose = "Versions, migrations, settings, the jurisdiction's file and the sheets, whenever they changed"
    law = "4 CCR 12003, 12381"
    signs = ("Inspected by",)
    unprinted = ("at", "record_id", "shift")
    columns = ("gaming_day", "shift", "part", "name", "value", "at", "local_time", "record_id")
    place = 535
    event, parts = "system_stated", "facts"


declare_papers(SystemPaper)
