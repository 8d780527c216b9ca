from fipscm.mechanism.fit import MechanismConfig, fit_mechanism
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.network.train import TrainingConfig
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.progress import progress_bar

__all__ = ["LearnedSCM", "MechanismConfig", "TrainingConfig", "TransformerConfig", "fit_mechanism", "progress_bar"]
