"""Folders that only the services' user enters, also when many make them at once."""

import stat
import threading
from pathlib import Path

import pytest

from casino.embedded.folders import EmbeddedError, Folders


def test_many_who_make_one_folder_at_once_all_find_it_theirs(tmp_path: Path) -> None:
    folders, faults = Folders(tmp_path, "stack"), []
    for number in range(50):
        start = threading.Barrier(4)

        def make(folder: Path = tmp_path / str(number), start: threading.Barrier = start) -> None:
            start.wait()
            try:
                folders.private(folder)
            except (EmbeddedError, OSError) as fault:
                faults.append(fault)

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults == []
    made = [path.lstat() for path in tmp_path.iterdir()]
    assert len(made) == 50
    assert {(status.st_uid, stat.S_IMODE(status.st_mode)) for status in made} == {(folders.user_id, 0o700)}


def test_a_folder_that_others_enter_or_a_link_is_refused(tmp_path: Path) -> None:
    folders = Folders(tmp_path, "stack")
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("open", "link"):
        with pytest.raises(EmbeddedError, match="is not a folder of user"):
            folders.private(tmp_path / name)
