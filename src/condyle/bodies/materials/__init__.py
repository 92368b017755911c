"""Materials: a file each, with what the user declares, its record and its energy (`laws/solids.py` makes stress of it).

A new one is a file like these and a line here; the numbers of their laws follow this order.
"""

# isort: off
from condyle.bodies.materials.material import Material as Material, unit_direction as unit_direction
from condyle.bodies.materials.st_venant_kirchhoff import StVenantKirchhoff as StVenantKirchhoff
from condyle.bodies.materials.neo_hookean import NeoHookean as NeoHookean
from condyle.bodies.materials.robust import Robust as Robust
from condyle.bodies.materials.mooney_rivlin import MooneyRivlin as MooneyRivlin
from condyle.bodies.materials.yeoh import Yeoh as Yeoh
from condyle.bodies.materials.ogden import Ogden as Ogden
from condyle.bodies.materials.arruda_boyce import ArrudaBoyce as ArrudaBoyce
from condyle.bodies.materials.veronda_westmann import VerondaWestmann as VerondaWestmann
from condyle.bodies.materials.fibre_reinforced import FibreReinforced as FibreReinforced
from condyle.bodies.materials.holzapfel import HolzapfelGasserOgden as HolzapfelGasserOgden
from condyle.bodies.materials.ligament_tissue import LigamentTissue as LigamentTissue
from condyle.bodies.materials.law_material import LawMaterial as LawMaterial
