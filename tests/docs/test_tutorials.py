"""The tutorials: their commands run in order in an empty folder, and print what the pages say."""

import pytest

from tests.documents import ROOT, needs_shell, run_document, steps_of

# The code of em.md runs when the site is built.
TUTORIALS = [path.relative_to(ROOT) for path in ROOT.glob("docs/tutorials/*.md") if path.stem != "em"]


@pytest.mark.docs
@needs_shell
@pytest.mark.usefixtures("align_on_path")
@pytest.mark.parametrize("path", sorted(TUTORIALS), ids=lambda path: path.stem)
def test_the_commands_run(path, tmp_path):
    if path.stem == "usfm":
        pytest.importorskip("usfmtc", reason="it needs the extra scripture")
    if path.stem in ("verses", "usfm"):
        pytest.importorskip("lightgbm", reason="learning needs the extra learn")
    assert len(steps_of(path)) >= 5
    run_document(path, tmp_path)
