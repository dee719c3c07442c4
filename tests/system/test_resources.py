"""What a process may use, read from control groups laid out as Linux does."""

import os

import pytest

from aligner.system import resources as limits


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A machine of 64 processors; lay out files, by path, and the groups that the process is in."""

    def lay_out(own, **files):
        (tmp_path / "own").write_text(own)
        for path, text in files.items():
            file = tmp_path / "groups" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    monkeypatch.setattr(limits, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(limits, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(limits, "_memory_of_machine", lambda: 1 << 40)
    monkeypatch.setattr(limits, "_processors_of_machine", lambda: 64)
    return lay_out


def test_the_machine_has_memory_and_processors():
    assert 1 << 28 < limits.memory() < 1 << 50
    assert 1 <= limits.processors() <= (os.cpu_count() or 1)


def test_without_control_groups_the_machine_is_the_limit(groups):
    assert limits.memory() == 1 << 40
    assert limits.processors() == 64


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
def test_the_least_of_the_groups_that_a_process_is_in_counts(groups, files, memory, processors):
    groups("0::/job/step\n", **files)
    assert (limits.memory(), limits.processors()) == (memory, processors)


@pytest.mark.parametrize("quota", ["-1\n", "250000\n"])
def test_groups_of_one_controller_each(groups, quota):
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
    assert limits.memory() == 1 << 30
    assert limits.processors() == (64 if quota == "-1\n" else 3)


def test_a_container_s_own_groups_are_at_the_top_though_it_is_called_otherwise_outside(groups):
    groups("4:memory:/outside\n2:cpu:/outside\n", **{"memory/memory.limit_in_bytes": "1073741824\n"})
    assert limits.memory() == 1 << 30
