"""Names that help texts list. The modules that define them take seconds to import; a test keeps the two equal."""

MODEL_SUFFIX = ".fip"
SCALES = ("raw", "standardized")
ORDER_METHODS = ("evidence", "variance", "r2", "direct-lingam", "score", "nogam")
DISTRIBUTIONS = ("lin-in", "rff-in", "lin-out", "rff-out", "mlp-in", "mlp-out")
PRESETS = ("avici", "released")
VARIANTS = (
    *("plain", "non-additive", "hidden-confounder", "mixed", "outliers", "iscm"),
    *("post-nonlinear", "location-scale", "multiplicative", "discrete", "missing", "measurement-error"),
)
PATTERNS = ("plain", "missing-10", "missing-30", "missing-depending-10", "missing-depending-30")
SUMMARIES = ("scoreboard", "orders", "pipeline", "pipeline-order", "failures", "coverage", "noises", "mixed")
BACKENDS = ("local", "ray", "dask")
TASKS = (
    *("smoke", "tos", "d-max", "f1", "auc-roc", "auc-prg", "counterfactual", "abduction"),
    *("c-suite", "syntren", "sachs", "causal-nf", "complexity", "robustness", "rows", "pairs", "networks", "far"),
    *("tunnel", "noise", "mixed", "categories", "coverage"),
)
# Tasks that run measured tables instead of a grid of data sets: end to end, and their orders alone.
MEASURED, ORDERS = "measured", "orders"
GATE = "gate"  # a selection of cells of all tasks
BENCH_METHODS = (
    *("fip", "fip-order", "fip-graph", "fip-additive", "fip-order-additive", "fip-drop", "fip-paper", "zero-shot"),
    *("variance", "r2", "direct-lingam", "score", "nogam", "random"),
    *("pc", "ges", "pc-g2", "ges-bdeu", "golem", "dag-gnn", "gran-dag", "notears-mlp", "avici"),
    *("dowhy-graph", "dowhy-predicted", "dowhy-order", "dowhy-post-nonlinear", "dowhy-bootstrap"),
    *("dowhy-mixed", "dowhy-codes", "causal-nf", "carefl"),
    *("least-squares", "no-change", "adjustment"),
    *("d-max-2", "d-max-10", "d-max-20", "transformer"),
)
MISSING = ("impute", "drop", "refuse")
NOISES = ("auto", "additive", "location-scale", "monotone")
KINDS = ("continuous", "count", "ordinal", "binary", "categorical")
