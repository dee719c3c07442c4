"""The server is killed at any moment: every answered edit is kept, and none is there twice."""

import json
import random
import threading
from http.client import HTTPException

import pytest

from tests.serve.client import edit, serving

EDITS, KILLS = 100, 8
LONGEST = 0.08  # seconds until a kill


@pytest.mark.slow
def test_kill_loses_no_answered_edit_and_doubles_none(program, model_path, texts, tmp_path):
    """Random edits, each sent until it is answered, and kills at random moments."""
    chance = random.Random(37)
    paths = model_path, texts / "train.src", texts / "train.tgt"
    sides = [path.read_text().splitlines() for path in paths[1:]]
    shown, answered, waiting = {}, [], None

    def new_edit():
        line = chance.randrange(len(sides[0])) + 1
        i, j = (chance.randrange(len(side[line - 1].split())) for side in sides)
        return f"a-{len(answered)}", line, shown.get(line, ""), f"{i}{chance.choice('-!')}{j}"

    for kills in range(KILLS + 1):
        is_last = kills == KILLS
        with serving(program, *paths, "--folder", tmp_path / "work") as (process, address):
            if not is_last:
                threading.Timer(chance.uniform(0, LONGEST), process.kill).start()
            while not is_last or waiting or len(answered) < EDITS:
                waiting = waiting or new_edit()
                try:
                    status, _ = edit(address, *waiting)
                except (OSError, HTTPException):
                    break
                assert status == 200
                answered.append(waiting)
                shown[waiting[1]], waiting = waiting[3], None
    journal = (tmp_path / "work" / "journal").read_text().splitlines()[1:]
    acts = [json.loads(line) for line in journal]
    assert [(act["id"], act["line"], act["before"], act["after"]) for act in acts] == answered
    assert len(answered) >= EDITS
