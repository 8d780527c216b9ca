from fipscm.knowledge.knowledge import Edge, Knowledge

__all__ = ["Edge", "Knowledge"]
