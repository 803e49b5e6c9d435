"""The files of deploy/ and the commands of docs/operations.md match what the program needs."""

import configparser
import re
import shlex
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands, load_command_class

from casino import celery
from casino.requests import middleware
from casino.serving import answering, edge, environment, slow_senders, watchdog

ROOT = Path(settings.BASE_DIR)
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "operations.md").read_text()
BY_HAND = (DEPLOY / "casino-manage").read_text()
READ = set(environment.NAMES)


class Repeated(dict):
    """Keeps both values of a repeated key; configparser passes lists."""

    def __setitem__(self, key, value):
        if isinstance(value, list) and isinstance(self.get(key), list):
            value = [*self[key], *value]
        super().__setitem__(key, value)


def fenced(page):
    return [line for block in re.findall(r"```sh\n(.*?)```", page, re.S) for line in block.splitlines()]


def of_manage(line):
    """Return the arguments of a `manage.py` or `casino-manage` command in a line, if any."""
    words = shlex.split(line.partition(" | ")[0], comments=True)
    runs = (at for at, word in enumerate(words) if word.endswith(("manage.py", "casino-manage")))
    at = next(runs, None) if "install" not in words else None
    return [] if at is None else words[at + 1 :]


def commands(text):
    named = re.findall(
        r"`((?:\.venv/bin/python )?manage\.py [^`]+|(?:OWNER=1 )?casino-manage [a-z][^`]*)`", text
    )
    return [given for line in [*fenced(text), *named] if (given := of_manage(line))]


@pytest.mark.parametrize("given", commands(PAGE), ids=" ".join)
def test_each_command_of_the_page_is_one_with_these_arguments(given):
    name, arguments = given[0], [word for word in given[1:] if word not in ("...", "\\")]
    app = get_commands()[name]
    parser = load_command_class(app, name).create_parser("manage.py", name)
    known = {option for action in every_action(parser) for option in action.option_strings}
    assert {word for word in arguments if word.startswith("--")} <= known


def every_action(parser):
    for action in parser._actions:
        yield action
        choices = action.choices if isinstance(action.choices, dict) else {}
        for below in choices.values():
            yield from every_action(below)


def test_each_variable_that_is_set_on_the_page_is_one_that_is_read():
    said = re.findall(r"^(?:export )?([A-Z_]{4,})=", "\n".join(fenced(PAGE)), re.M)
    assert set(said) - {"OWNER"} <= READ
    assert "OWNER:+" in BY_HAND
    assert {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"} <= set(said)


def unit_in(path):
    """Return a unit file's sections; repeated keys have one value a line."""
    read = configparser.RawConfigParser(strict=False, dict_type=Repeated)
    read.optionxform = str
    read.read(path)
    return {
        name: {
            key: "\n".join(value) if isinstance(value, list) else value for key, value in read[name].items()
        }
        for name in read.sections()
    }


UNITS = sorted(path for path in DEPLOY.glob("systemd/*.service") if "alert" not in path.name)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_what_there_is(unit):
    sections = unit_in(unit)
    service = sections["Service"]
    words = shlex.split(service["ExecStart"])
    assert words[0] == "/srv/casino/.venv/bin/python"
    if words[1] == "manage.py":
        test_each_command_of_the_page_is_one_with_these_arguments(words[2:])
    else:
        assert words[1:5] == ["-m", "celery", "-A", "casino"]
        assert words[5] in ("worker", "beat")
    assert service["UMask"] == "0077"
    assert float(service["TimeoutStopSec"]) > celery.BROKER_SECONDS
    assert set(re.findall(r"^Environment=(\w+)=", unit.read_text(), re.M)) <= {"PORT"}
    for name in ("User", "WorkingDirectory", "UMask", "EnvironmentFile"):
        assert (
            f"-p {name}={service[name].splitlines()[0]} " in BY_HAND
        )  # a command by hand works on the same house
    if service.get("Type") == "oneshot":
        assert sections["Unit"]["OnFailure"] == "casino-alert@%n.service"
        assert "Restart" not in service
        assert unit.with_suffix(".timer").exists()
    else:
        assert service["Restart"] == "always"


def due():
    found = {}
    for path in DEPLOY.glob("systemd/*.timer"):
        sections = unit_in(path)
        assert sections["Timer"]["Persistent"] == "true"
        assert sections["Install"]["WantedBy"] == "timers.target"
        day, time = sections["Timer"]["OnCalendar"].split()
        assert day == "*-*-*"
        begins = unit_in(path.with_suffix(".service"))["Service"]
        found[" ".join(shlex.split(begins["ExecStart"])[2:])] = time.removesuffix(":00")
    return found


def test_backup_verify_monitor_and_checkpoint_come_round_by_themselves():
    assert due().keys() == {"backup /backup", "audit verify", "audit monitor", "audit checkpoint"}
    started = " ".join(fenced(PAGE))
    for path in DEPLOY.glob("systemd/*.timer"):
        assert path.name in started
    backup = unit_in(DEPLOY / "systemd" / "casino-backup.service")["Service"]
    assert backup["EnvironmentFile"].splitlines()[1] == "-/etc/casino/owner"
    assert backup["ReadWritePaths"] == "/backup"
    checkpoint = unit_in(DEPLOY / "systemd" / "casino-checkpoint.service")["Service"]
    assert checkpoint["StandardOutput"].startswith("truncate:/var/lib/casino/")


def test_the_containers_make_the_same_rounds_at_the_same_times():
    read = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["rounds"]
    assert read["entrypoint"] == ["sh", "deploy/rounds"]
    assert read["restart"] == "always"
    script = (ROOT / read["entrypoint"][1]).read_text()
    rows = re.findall(r"^ +(\S+)\) run ([\w /]+?) (?:> \S+ )?& ;;$", script, re.M)
    assert {command: time for time, command in rows} == due()


def test_what_watches_a_worker_and_a_beat_hears_of_them_often_enough():
    """By systemd and by the container's health check, in less time than a hang is tolerated."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name, silent in watchdog.SILENT_SECONDS.items():
        service = unit_in(DEPLOY / "systemd" / f"casino-{name}.service")["Service"]
        assert 2 * watchdog.LOOK_SECONDS < float(service["WatchdogSec"]) <= silent
        (check,) = [word for word in services[name]["healthcheck"]["test"] if "stat(" in word]
        path, seconds = re.fullmatch(r".*os\.stat\('(.+)'\)\.st_mtime > (\d+)\)", check).groups()
        assert path == f"/var/lib/casino/{name}.alive"
        assert 2 * watchdog.LOOK_SECONDS < float(seconds) <= silent
        assert services[name]["restart"] == "always"
    assert "ENV CASINO_VAR=/var/lib/casino" in (DEPLOY / "Dockerfile").read_text()


def test_the_example_of_an_environment_says_where_the_house_keeps_its_data():
    """Otherwise a backup or a check by hand would use another folder than the units."""
    (example,) = re.findall(r"```text\n(SECRET_KEY=.*?)```", PAGE, re.S)
    said = dict(line.split("=", 1) for line in example.splitlines())
    assert said["CASINO_VAR"] == "/var/lib/casino"
    assert set(said) <= READ
    assert "env $(cat" not in PAGE


def test_the_containers_have_every_process_once_prepare_is_done():
    read = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services, said = read["services"], {}
    for name in ("prepare", "web", "worker", "beat"):
        said[name] = services[name]["command"][:2]
        assert set(services[name]["environment"]) <= READ
    assert said["prepare"] == ["manage.py", "prepare"]
    assert said["web"] == ["manage.py", "serve"]
    assert services["worker"]["command"][4] == "worker"
    assert services["beat"]["command"][4] == "beat"
    for name in ("web", "worker", "beat"):
        assert services[name]["depends_on"]["prepare"]["condition"] == "service_completed_successfully"
    said = {volume for service in services.values() for volume in service.get("volumes", ())}
    assert {re.sub(r"\$\{\w+:-(\w+)\}", r"\1", volume).partition(":")[0] for volume in said} == set(
        read["volumes"]
    )


def test_the_containers_tools_are_of_the_version_of_their_database():
    """pg_dump refuses a server newer than itself."""
    image = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["database"]["image"]
    (client,) = re.findall(r"postgresql-client-(\d+)", (DEPLOY / "Dockerfile").read_text())
    assert image == f"postgres:{client}"


def test_the_containers_believe_the_proxy_that_comes_through_their_gateway():
    read = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    (network,) = read["networks"]["default"]["ipam"]["config"]
    assert ip_address(network["gateway"]) in ip_network(network["subnet"])
    for name in ("web", "worker", "beat"):
        said = read["services"][name]["environment"]
        assert said["TRUSTED_PROXIES"] == f"${{PROXY:-{network['gateway']}}}"
        assert {"EMAIL_HOST", "EMAIL_FROM", "CASINO_CHECKPOINTS"} <= set(said)


def test_the_proxy_passes_on_what_the_house_goes_by_at_each_place():
    text = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    assert text.count("{") == text.count("}")
    places = re.findall(r"location [^{]*\{(.*?)\}", text, re.S)
    assert len(places) == 4
    for place in places:
        sets = dict(re.findall(r"proxy_set_header (\S+) (\S+);", place))
        assert sets == {
            "Connection": '""',
            "Host": "$http_host",  # with its port, which the origin of a form is compared with
            "X-Forwarded-For": "$remote_addr",
            "X-Forwarded-Proto": "$scheme",
        }
    assert "proxy_buffering off;" in next(place for place in places if "1h" in place)


def bytes_of(size):
    return int(size[:-1]) * 1024 if size.endswith("k") else int(size)


def test_the_proxy_speaks_tls_as_it_is_spoken_today_and_waits_for_nobody_for_ever():
    text = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    said = dict(re.findall(r"^ {0,4}(\w+) ([^;{]+);", text, re.M))
    assert set(said["ssl_protocols"].split()) == {"TLSv1.2", "TLSv1.3"}
    for cipher in said["ssl_ciphers"].split(":"):
        assert re.fullmatch(r"ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)", cipher)
    assert (said["ssl_session_tickets"], said["server_tokens"]) == ("off", "off")
    for name, most in (
        ("client_header_timeout", slow_senders.HEAD_SECONDS),
        ("client_body_timeout", edge.BODY_SECONDS),
    ):
        assert 0 < int(said[name].rstrip("s")) <= most
    buffers = said["large_client_header_buffers"].split()
    assert edge.LONGEST_ADDRESS < bytes_of(buffers[1]) <= 2 * 8192


def test_a_web_process_may_open_files_for_all_its_connections_and_the_proxy_for_two_of_each():
    files = slow_senders.MOST_CONNECTIONS + slow_senders.OTHER_FILES
    unit = unit_in(DEPLOY / "systemd" / "casino-web@.service")["Service"]
    web = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["web"]
    assert int(unit["LimitNOFILE"]) == web["ulimits"]["nofile"] >= files
    proxy = (DEPLOY / "nginx.conf").read_text()
    connections = int(re.search(r"events \{ worker_connections (\d+); \}", proxy)[1])
    assert connections >= 2 * slow_senders.MOST_CONNECTIONS
    assert int(re.search(r"worker_rlimit_nofile (\d+);", proxy)[1]) > connections


def test_the_proxy_lets_in_no_longer_body_than_the_house_reads_and_limits_who_signs_in():
    text = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    places = dict(re.findall(r"location ([^{]*) \{(.*?)\}", text, re.S))
    everywhere = re.findall(r"^    client_max_body_size (\w+);", text, re.M)
    assert [bytes_of(size) for size in everywhere] == [edge.most_bytes("/floor/")]
    (door,) = (place for name, place in places.items() if name.startswith("~"))
    (pattern,) = (name[2:] for name in places if name.startswith("~"))
    for address in answering.AT_THE_DOOR:
        assert re.match(pattern, address)
        assert edge.most_bytes(address) <= bytes_of(re.search(r"client_max_body_size (\w+);", door)[1])
    zones = dict(re.findall(r"limit_req_zone \$binary_remote_addr zone=(\w+):10m rate=(\d+)r/s;", text))
    assert int(zones[re.search(r"limit_req zone=(\w+) burst=\d+ nodelay;", door)[1]]) <= 5
    assert re.search(r"^    limit_req zone=casino_all ", text, re.M)
    assert re.search(r"^    limit_conn casino_each \d+;", text, re.M)
    assert "access_log off;" in places[middleware.TOLD_ALONE]
