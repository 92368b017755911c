"""Forces: what the user declares, written as laws on points and directions of any body.

Imports `condyle.model`, codes of `condyle.laws` and the interface of `condyle.system.builder`. A new force is one file.
"""

from condyle.forces.distributed import DistributedLoad, Moment
from condyle.forces.laws import LawConstraint, LawEnergy, LawForce, LawRate
from condyle.forces.loads import BodyForce, FollowerForce, Gravity, Load, Torque, Traction
from condyle.forces.pressure import Pressure
from condyle.forces.rayleigh import RayleighDamping
from condyle.forces.springs import Bushing, Damper, Spring
from condyle.forces.user import UserForce

__all__ = [
    "BodyForce",
    "Bushing",
    "Damper",
    "DistributedLoad",
    "FollowerForce",
    "Gravity",
    "LawConstraint",
    "LawEnergy",
    "LawForce",
    "LawRate",
    "Load",
    "Moment",
    "Pressure",
    "RayleighDamping",
    "Spring",
    "Torque",
    "Traction",
    "UserForce",
]
