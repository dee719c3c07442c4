"""``align verses``: two USFM files become a text with ids."""

from tests.support import new_file


def test_verses_of_two_files_are_a_text(align, tmp_path):
    a = new_file(tmp_path, "\\id GAL\n\\c 1\n\\v 1 Παῦλος,\n\\v 2 καὶ\n\\v 3 χάρις\n\\v 4 δόντος\n", "a")
    b = new_file(tmp_path, "\\id GAL\n\\c 1\n\\v 1-2 Paul and\n\\v 3 grace\n\\v 5\n\\v 6 x\n", "b")
    _, said = align("verses", a, b, "-o", tmp_path / "text")
    written = [(tmp_path / "text" / name).read_text("utf-8") for name in ("source", "target", "verses")]
    assert written == ["Παῦλος , καὶ\nχάρις\n", "Paul and\ngrace\n", "GAL 1:1-2\nGAL 1:3\n"]
    assert f"wrote {tmp_path / 'text'}: 2 verses, 1 of them joined" in said
    assert f"{a}: found verses that the other text lacks: 1 (GAL 1:4)" in said
    assert f"{b}: found verses that the other text lacks: 1 (GAL 1:6)" in said
