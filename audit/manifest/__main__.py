"""Write the manifest (``make manifest``), or say where the files are not as it says, without a database."""

import argparse
import sys
from pathlib import Path

from audit.manifest.files import NAME, files_deviate, files_digest, manifest_text, part_of

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m audit.manifest", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / NAME, help="a manifest; by default the project's own")
    parser.add_argument("--write", action="store_true", help="write it anew")
    arguments = parser.parse_args()
    if arguments.write:
        arguments.file.write_text(manifest_text(files_digest(ROOT)))
        return 0
    deviations = files_deviate(ROOT, arguments.file)
    for each in deviations:
        how = "changed" if each.expected and each.found else "missing" if each.expected else "not listed"
        print(f"{part_of(each.name)}: {each.name}: {how}")
    return 1 if deviations else 0


if __name__ == "__main__":
    sys.exit(main())
