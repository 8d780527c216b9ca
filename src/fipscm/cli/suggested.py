"""One line about what names suggest, where nothing about the order was told."""

import sys

import fipscm
from fipscm.cli.options import Chosen, OrderOptions


def tell_suggestions(data: str, chosen: Chosen, options: OrderOptions) -> None:
    """Say on standard error that there are suggestions, unless the user has said something about the order."""
    if options.tell_the_order:
        return
    hint = fipscm.suggest(chosen.variables).hint
    if hint:
        print(f"fipscm: Names suggest that {hint}: see fipscm suggest {data}, or add --suggested.", file=sys.stderr)
