"""One HTML file that holds everything it needs: text, pictures, style, and the script that draws its charts."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from fipscm.directions import DIRECTION_THRESHOLD
from fipscm.report.charts import rounded
from fipscm.report.document import Document
from fipscm.report.effects import StrongEffect
from fipscm.report.words import counted, joined, number, signed
from fipscm.tables.write import write_whole


@dataclass(frozen=True, repr=False)
class Report:
    """A page that opens in any browser, without a network.

    Attributes:
        html: the page.
        effects: the strongest effects, as the page shows them.
    """

    html: str
    effects: tuple[StrongEffect, ...] = ()

    def save(self, path: str | Path) -> None:
        """Write the page; the file appears whole or not at all."""
        write_whole(path, lambda file: file.write(self.html.encode()))

    def __repr__(self) -> str:
        return f"Report of {len(self.html.encode()) / 1e6:.1f} MB: save('report.html') and open it in a browser"

    def _repr_html_(self) -> str:
        return f'<iframe title="Report" srcdoc="{escape(self.html)}" style="width:100%;height:80vh;border:0"></iframe>'


def render(document: Document) -> Report:
    """Fill the template; what comes from the table is escaped, so that a name never becomes markup."""
    environment = Environment(
        loader=PackageLoader("fipscm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "signed": signed, "joined": joined, "counted": counted}
    shared = {"names": list(map(str, document.names)), "rows": rounded(document.rows_shown)}
    page = environment.get_template("page.html")
    html = page.render(vars(document), shared=shared, plotly=Markup(get_plotlyjs()), sure=DIRECTION_THRESHOLD)
    return Report(html, tuple(document.effects))
