"""Check exported seals, or one proof, offline: ``python -m audit.check_seals EXPORT [--anchor FILE]``, ``… --proof FILE``.

The export is what ``manage.py seals_export`` or ``GET /api/v1/audit/seals/export`` wrote; a proof is the answer of an inclusion
or consistency endpoint, as it was saved. Prints every deviation with its row, then what was checked; exits with 1
when anything is amiss. Standard library only, no database.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from audit.seals.checking import SealCheck
from audit.seals.deviations import Deviation
from audit.seals.lines import anchor_read, line_read
from audit.seals.proofs import ProofCheck
from games.core.codec import parse
from games.core.errors import InvalidData

NONSENSE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidData)
ERROR = "urn:casino:problem:"
"""So begins the type of an error that the API answered, as it is easily saved instead of a proof."""
UNANCHORED = "without an anchor file, seals cut off at the end, or all written anew, are not found"
UNANCHORED_PROOF = "without an anchor file, a head made up for this proof is not found"
WEAKER = "what is not sealed yet is weaker: until its seal is made and anchored, a change of it is not found here"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m audit.check_seals", description=__doc__)
    parser.add_argument("export", nargs="?", type=Path, help="the export, JSON Lines")
    parser.add_argument("--proof", type=Path, help="instead of an export: a saved inclusion or consistency proof")
    parser.add_argument("--anchor", type=Path, help="the anchor file, kept elsewhere than the database")
    parser.add_argument(
        "--from-head", metavar="HASH", help="let the export go on after this head, which the anchor does not have"
    )
    arguments = parser.parse_args()
    if (arguments.export is None) == (arguments.proof is None):
        parser.error("give an export or --proof FILE")
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        heads, wrong = _anchor(arguments.anchor)
        if heads == []:
            parser.error(f"{arguments.anchor} has no whole head: it is no anchor file, or each of its lines was changed")
        found = len(wrong)
        for line in wrong:
            print(f"anchor_line_is_a_head: anchor {line}: is none")
        check = SealCheck(heads, from_head=arguments.from_head) if arguments.export else ProofCheck(heads)
        for deviation in _deviations(check, arguments.export or arguments.proof):
            found += 1
            print(deviation)
    except OSError as error:
        parser.error(str(error))
    print(_summary(check))
    print(f"deviations: {found}" if found else "verified")
    return 1 if found else 0


def _deviations(check: SealCheck | ProofCheck, path: Path) -> Iterator[Deviation]:
    if isinstance(check, SealCheck):
        with path.open("rb") as lines:
            yield from checked(check, lines)
    else:
        yield from proof_checked(check, path.read_bytes())


def proof_checked(check: ProofCheck, text: bytes) -> Iterator[Deviation]:
    """Check a proof; one that makes no sense is a deviation."""
    try:
        proof = parse(text)
        if str(proof.get("type")).startswith(ERROR):
            raise ValueError(f"the body of an error: {proof.get('code')!r}")
        yield from check.run(proof)
    except NONSENSE as error:
        found = str(error) if type(error) is ValueError else repr(error)
        yield Deviation("proof_makes_sense", "proof", "", "an inclusion or consistency proof", found)


def checked(check: SealCheck, lines: Iterable[bytes]) -> Iterator[Deviation]:
    """Check the lines of an export; one that makes no sense is a deviation too."""
    return check.run(map(_read, lines))


def _read(text: bytes) -> Any:
    try:
        return line_read(text)
    except ValueError as error:
        return error  # which is no line of an export


def _anchor(path: Path | None) -> tuple[list[dict[str, Any]] | None, list[int]]:
    if path is None:
        return None, []
    with path.open(encoding="utf-8", errors="replace") as lines:
        return anchor_read(lines)


def _summary(check: SealCheck | ProofCheck) -> str:
    anchored = None if check.anchored is None else f"{len(check.anchored)} anchored heads"
    if isinstance(check, ProofCheck):
        return "\n".join(filter(None, [check.told, anchored or UNANCHORED_PROOF]))
    head = f"seal {check.last['number']}, {check.last['hash']}, of {check.last['at']}" if check.last else "none"
    told = [f"{check.seals} seals, {check.steps} steps, {check.transfers} transfers; newest head: {head}"]
    told.append(f"export of {check.begun['at']}" if check.begun else "export of no time")
    if check.starts_at:
        told.append(f"the seals up to {check.starts_at} and their rows are not in this export: not checked")
    if check.of_open_rounds:
        told.append(
            f"{check.of_open_rounds} steps of open rounds, by their hashes alone: what they hold is in an export made later"
        )
    told.append(f"{anchored}, of which {check.later} are later than the export: not checked" if anchored else UNANCHORED)
    if check.unanchored:
        told.append(f"the newest {check.unanchored} seals have no anchored head: that they were all written anew is not found")
    told.append(f"{check.unsealed} rows not sealed yet; {WEAKER}")
    return "\n".join(told)


if __name__ == "__main__":
    sys.exit(main())
