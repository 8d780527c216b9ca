from fipscm.layout.picture import Box, Layout, Route
from fipscm.layout.sugiyama import MOST_BOXES, around, layered

__all__ = ["MOST_BOXES", "Box", "Layout", "Route", "around", "layered"]
