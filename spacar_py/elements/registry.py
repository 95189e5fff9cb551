"""The list of all elements; nothing else names them all."""

from .beam import Beam
from .cylinder import Cylinder
from .euler import EulerCondition
from .hinge import Hinge, PlanarHinge
from .pin_body import PinBody, PlanarPinBody
from .planar_beam import PlanarBeam
from .rigid_beam import PlanarRigidLink, RigidBeam
from .slider import PlanarSlider, Slider
from .spherical import PlanarPin, Spherical
from .truss import PlanarTruss, Truss
from .universal import Universal
from .warping_beam import WarpingBeam

ELEMENTS = {
    cls.kind: cls
    for cls in (
        Beam, WarpingBeam, Truss, Hinge, PinBody, RigidBeam, Slider, Cylinder, Spherical, Universal,
        PlanarBeam, PlanarTruss, PlanarHinge, PlanarPinBody, PlanarRigidLink, PlanarSlider, PlanarPin, EulerCondition,
    )
}  # fmt: skip
