"""django-hordak for comparison: the same transfers in a process and a database of its own. A round, a list of
(payer, receiver, cents), becomes one durable Transaction, whose legs hordak holds to a sum of zero. It has no
keys, limits, evidence or record, and stores no balances."""

import json
import os
import subprocess
import sys
import time
from urllib.parse import urlsplit, urlunsplit

DATABASE = "hordak"


class Hordak:
    def __init__(self, url, accounts):
        own = urlunsplit(urlsplit(url)._replace(path=f"/{DATABASE}"))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks._hordak", own, str(accounts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._process.stdout.readline()

    def run(self, rounds):
        self._process.stdin.write(json.dumps(rounds) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def stop(self):
        self._process.stdin.close()
        self._process.wait()


def make_database(url):
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")


def _main(url, count):
    import dj_database_url
    import django
    from django.conf import settings

    settings.configure(
        DATABASES={"default": dj_database_url.parse(url, conn_max_age=None)},
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "mptt", "hordak"],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        SECRET_KEY="for benchmarks alone",
        CURRENCIES=["USD"],
        DEFAULT_CURRENCY="USD",
        USE_TZ=True,
    )
    django.setup()
    from django.core.management import call_command
    from django.db import transaction
    from hordak.models import Account, Leg, Transaction
    from moneyed import Money

    call_command("migrate", verbosity=0)
    accounts = [
        Account.objects.create(name=f"Stack {number}", type="LI", currencies=["USD"], code=str(number))
        for number in range(count)
    ]
    print("ready", flush=True)
    for line in sys.stdin:
        rounds = json.loads(line)
        start = time.perf_counter()
        for transfers in rounds:
            with transaction.atomic():
                entry = Transaction.objects.create(description="A round")
                legs = []
                for payer, receiver, cents in transfers:
                    amount = Money(cents, "USD") / 100
                    legs.append(Leg(transaction=entry, account=accounts[payer], credit=amount))
                    legs.append(Leg(transaction=entry, account=accounts[receiver], debit=amount))
                Leg.objects.bulk_create(legs)
        print(json.dumps((time.perf_counter() - start) / len(rounds)), flush=True)


if __name__ == "__main__":
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    _main(sys.argv[1], int(sys.argv[2]))
