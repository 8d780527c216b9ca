from fipscm.order.weights import load_encoder, shipped_encoder
from fipscm.order.zero_shot import (
    METHODS,
    SCALES,
    ZeroShot,
    infer_order,
    order_confidence,
    plausible_orders,
    precedence_shares,
    zero_shot,
)

__all__ = [
    "METHODS",
    "SCALES",
    "ZeroShot",
    "infer_order",
    "load_encoder",
    "order_confidence",
    "plausible_orders",
    "precedence_shares",
    "shipped_encoder",
    "zero_shot",
]
