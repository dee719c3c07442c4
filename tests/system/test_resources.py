"""Memory and processors of a process, from control groups of Linux, and sizes of memory as text."""

import os

import pytest

from aligner.system import resources
from aligner.system.resources import format_size, parse_size


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Return a function that writes control group files on a machine of 64 processors and 1 TiB."""

    def lay_out(own, **files):
        (tmp_path / "own").write_text(own)
        for path, text in files.items():
            file = tmp_path / "groups" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    monkeypatch.setattr(resources, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(resources, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(resources, "_memory_of_machine", lambda: 1 << 40)
    monkeypatch.setattr(resources, "_processors_of_machine", lambda: 64)
    return lay_out


def test_machine_has_memory_and_processors():
    assert 1 << 28 < resources.memory() < 1 << 50
    assert 1 <= resources.processors() <= (os.cpu_count() or 1)


def test_limits_without_control_groups_are_of_machine(groups):
    assert resources.memory() == 1 << 40
    assert resources.processors() == 64


@pytest.mark.parametrize(
    ("files", "memory", "processors"),
    [
        ({"memory.max": "max\n", "cpu.max": "max 100000\n"}, 1 << 40, 64),
        ({"memory.max": "4294967296\n", "cpu.max": "400000 100000\n"}, 1 << 32, 4),
        ({"cpu.max": "150000 100000\n"}, 1 << 40, 2),
        ({"cpu.max": "5000 100000\n"}, 1 << 40, 1),
        ({"cpu.max": "12800000 100000\n"}, 1 << 40, 64),
        ({"job/memory.max": "2147483648\n", "memory.max": "4294967296\n"}, 1 << 31, 64),
        ({"job/step/cpu.max": "800000 100000\n", "job/cpu.max": "300000 100000\n"}, 1 << 40, 3),
        ({"other/memory.max": "1\n", "other/cpu.max": "1 1\n"}, 1 << 40, 64),
    ],
)
def test_least_limit_of_own_groups_holds(groups, files, memory, processors):
    groups("0::/job/step\n", **files)
    assert (resources.memory(), resources.processors()) == (memory, processors)


@pytest.mark.parametrize("quota", ["-1\n", "250000\n"])
def test_version_1_groups_have_one_hierarchy_per_controller(groups, quota):
    folder = "cpu/docker/a"
    groups(
        "11:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/docker/a\n0::/\n",
        **{
            "memory/memory.limit_in_bytes": "9223372036854771712\n",
            "memory/docker/a/memory.limit_in_bytes": "1073741824\n",
            f"{folder}/cpu.cfs_quota_us": quota,
            f"{folder}/cpu.cfs_period_us": "100000\n",
        },
    )
    assert resources.memory() == 1 << 30
    assert resources.processors() == (64 if quota == "-1\n" else 3)


def test_group_of_container_is_at_top_whatever_its_outer_path(groups):
    groups("4:memory:/outside\n2:cpu:/outside\n", **{"memory/memory.limit_in_bytes": "1073741824\n"})
    assert resources.memory() == 1 << 30


@pytest.mark.parametrize(
    ("text", "size"),
    [("2k", 2048), ("800M", 800 << 20), ("2.5G", 5 << 29), ("1 GiB", 1 << 30), ("1048576", 1 << 20)],
)
def test_sizes_are_parsed(text, size):
    assert parse_size(text) == size


def test_sizes_are_formatted():
    assert [format_size(size) for size in (0, 5 << 20, 3 << 29)] == ["1 MiB", "5 MiB", "1.5 GiB"]
