from fipscm.order.inference import drawn_orders, precedence_shares, processor_cores, zero_shot_order
from fipscm.order.model import OrderModel, shipped_model
from fipscm.order.network.encoder import SCALES
from fipscm.order.removal import Removal
from fipscm.order.weights import load_encoder
from fipscm.order.zero_shot import ORDERINGS, ZeroShot, infer_order, order_confidence, zero_shot

__all__ = [
    "ORDERINGS",
    "SCALES",
    "OrderModel",
    "Removal",
    "ZeroShot",
    "drawn_orders",
    "infer_order",
    "load_encoder",
    "order_confidence",
    "precedence_shares",
    "processor_cores",
    "shipped_model",
    "zero_shot",
    "zero_shot_order",
]
