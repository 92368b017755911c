"""The number of each law, apart from the compiled code so that declaring a model needs no compiler."""

# Stored energies ψ(G)
SPRING = 0
ST_VENANT_KIRCHHOFF = 1
NEO_HOOKEAN = 2
COORDINATE_SPRING = 3
LIGAMENT = 4
LINEAR_STRAINS = 40  # of beams and shells
CABLE = 41
PLATE = 42
REELED_CABLE = 43  # its length at rest is that of a vector
SECTION_STRAINS = 44  # of the frame that gradients of a section make
SECTION_CURVATURE = 45
FRAME_STRAINS = 46  # between two rigid frames
ROBUST = 20
MOONEY_RIVLIN = 21
YEOH = 22
OGDEN = 23
FIBRES = 24
INITIAL_STRESS = 25
PLANE_STRESS = 50  # added to the code of a solid's law in 2D: no stress across the plane

# Scalar constraints c(G)
DOT_PRODUCT = 100
HALF_SQUARE = 101
COORDINATE = 102
FRAME_CONSTRAINT = 103  # one strain of FRAME_STRAINS is held

# Forces f(y, ẏ, t)
DEAD_LOAD = 0
TORQUE = 1
BODY_TORQUE = 2
DAMPER = 3
VISCOUS = 4
COORDINATE_FORCE = 5
COORDINATE_DAMPER = 6
FOLLOWER = 7
MUSCLE = 8
MOMENT_ACTUATOR = 9
LIGAMENT_DAMPER = 10
CURVED_DAMPER = 11
STRETCHED_LOAD = 40  # per deformed length or area
SECTION_MOMENT = 41  # a moment on gradients
PRESSURE = 20  # normal to the deformed line or surface

# Joint coordinates q(G)
SLIDE = 0  # y0·y1
ANGLE = 1  # angle of y0 in the plane of y1, y2: atan2(y0·y2, y0·y1)
DISTANCE = 2  # |y0|
TILT = 3  # asin(y0·y1) of unit vectors
MOVING = 4  # length of a segment to a point that moves in its body with a joint coordinate
CONDITIONAL = 5  # length over a point that acts while a joint coordinate is within limits
WRAP_SPHERE = 6  # length of a segment that wraps over a sphere
WRAP_CYLINDER = 7
WRAP_SURFACES = 8  # over an ellipsoid, a torus, or several surfaces in a row

# Surfaces that paths wrap over
SPHERE = 0
CYLINDER = 1
ELLIPSOID = 2
TORUS = 3

# Functions of a joint coordinate
LINEAR = 0
SPLINE = 1

# A law of the user's own, of any of the three kinds; its first parameter is the address of its machine code
USER = 1000
