from fipscm.order.weights import load_encoder, shipped_encoder
from fipscm.order.zeroshot import METHODS, SCALES, ZeroShot, infer_order, order_confidence, zero_shot

__all__ = [
    "METHODS",
    "SCALES",
    "ZeroShot",
    "infer_order",
    "load_encoder",
    "order_confidence",
    "shipped_encoder",
    "zero_shot",
]
