from typing import TYPE_CHECKING

from fipscm.deferred import deferred

if TYPE_CHECKING:
    from fipscm.mechanism.config import MechanismConfig
    from fipscm.mechanism.fit import fit_mechanism
    from fipscm.mechanism.learned import LearnedSCM
    from fipscm.mechanism.network.train import TrainingConfig
    from fipscm.mechanism.network.transformer import TransformerConfig

__all__ = ["LearnedSCM", "MechanismConfig", "TrainingConfig", "TransformerConfig", "fit_mechanism"]

# What learns needs PyTorch, which takes a second to import; a model that was learned can do without.
_PLACES = {
    "LearnedSCM": "fipscm.mechanism.learned:LearnedSCM",
    "MechanismConfig": "fipscm.mechanism.config:MechanismConfig",
    "TrainingConfig": "fipscm.mechanism.network.train:TrainingConfig",
    "TransformerConfig": "fipscm.mechanism.network.transformer:TransformerConfig",
    "fit_mechanism": "fipscm.mechanism.fit:fit_mechanism",
}
__getattr__ = deferred(__name__, _PLACES)
