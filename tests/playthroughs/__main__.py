"""Write anew what comes of the scripts."""

import json

from games.sandbox import run
from tests.playthroughs import FOLDER, PLAYTHROUGHS, kept

for name, each in PLAYTHROUGHS.items():
    text = json.dumps({"script": each["script"], "played": kept(run(each["script"]))}, ensure_ascii=False, indent=1)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
