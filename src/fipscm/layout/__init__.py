from fipscm.layout.labels import label_places
from fipscm.layout.picture import Box, Layout, Point, Route
from fipscm.layout.sugiyama import MOST_BOXES, around, layered
from fipscm.layout.svg import to_svg

__all__ = ["MOST_BOXES", "Box", "Layout", "Point", "Route", "around", "label_places", "layered", "to_svg"]
