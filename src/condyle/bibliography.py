"""The one bibliography: key → reference. A study's ``source`` and the docs refer to these keys."""

from __future__ import annotations

__all__ = ["BEYOND", "REFERENCES"]

BEYOND = "beyond"  # the source of a study that no publication contains

REFERENCES: dict[str, str] = {
    "taylor-2000": (
        "R. L. Taylor, Rigid-Flexible Body Analysis Without Rotation Parameters, CIMNE Publication 189, May 2000."
    ),
    "hovey-2000": (
        "C. B. Hovey, Stress and motion in diarthrodial joints using coupled nonlinear elastodynamics, rigid body "
        "dynamics, and large-slip contact, PhD thesis, Stanford University, August 2000."
    ),
    "hewlett-2020": (
        "J. Hewlett, Methods for Real-Time Simulation of Systems of Rigid and Flexible Bodies with Unilateral Contact "
        "and Friction, PhD thesis, McGill University, April 2020."
    ),
    "tournier-2015": (
        "M. Tournier, M. Nesme, B. Gilles and F. Faure, Stable constrained dynamics, ACM Transactions on Graphics 34 (4), "
        "article 132, 2015."
    ),
    "saad-1986": (
        "Y. Saad, M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, SIAM "
        "Journal on Scientific and Statistical Computing 7 (3), 856–869, 1986."
    ),
    "vanek-1996": (
        "P. Vaněk, J. Mandel and M. Brezina, Algebraic multigrid by smoothed aggregation for second and fourth order elliptic "
        "problems, Computing 56 (3), 179–196, 1996."
    ),
    "baker-2011": (
        "A. H. Baker, R. D. Falgout, T. V. Kolev and U. M. Yang, Multigrid smoothers for ultraparallel computing, SIAM Journal "
        "on Scientific Computing 33 (5), 2864–2887, 2011."
    ),
    "notay-2000": (
        "Y. Notay, Flexible conjugate gradients, SIAM Journal on Scientific Computing 22 (4), 1444–1460, 2000."
    ),
    "murphy-2000": (
        "M. F. Murphy, G. H. Golub and A. J. Wathen, A note on preconditioning for indefinite linear systems, SIAM Journal on "
        "Scientific Computing 21 (6), 1969–1972, 2000."
    ),
    "saad-1993": (
        "Y. Saad, A flexible inner-outer preconditioned GMRES algorithm, SIAM Journal on Scientific Computing 14 (2), 461–469, "
        "1993."
    ),
    "lew-2003": (
        "A. Lew, J. E. Marsden, M. Ortiz and M. West, Asynchronous variational integrators, Archive for Rational Mechanics "
        "and Analysis 167 (2), 85–146, 2003."
    ),
    "suzuki-1990": (
        "M. Suzuki, Fractal decomposition of exponential operators with applications to many-body theories and Monte Carlo "
        "simulations, Physics Letters A 146 (6), 319–323, 1990."
    ),
    "kahan-1997": (
        "W. Kahan and R.-C. Li, Composition constants for raising the orders of unconventional schemes for ordinary "
        "differential equations, Mathematics of Computation 66 (219), 1089–1099, 1997."
    ),
    "featherstone-2008": ("R. Featherstone, Rigid Body Dynamics Algorithms, Springer, New York, 2008."),
    "hairer-1993": (
        "E. Hairer, S. P. Nørsett and G. Wanner, Solving Ordinary Differential Equations I: Nonstiff Problems, 2nd edition, "
        "Springer, Berlin, 1993."
    ),
    "hairer-2006": (
        "E. Hairer, C. Lubich and G. Wanner, Geometric Numerical Integration: Structure-Preserving Algorithms for Ordinary "
        "Differential Equations, 2nd edition, Springer, Berlin, 2006."
    ),
    "calkin-1989": (
        "M. G. Calkin and R. H. March, The dynamics of a falling chain: I, American Journal of Physics 57 (1989) 154–157."
    ),
    "baumgarte-1972": (
        "J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, Computer Methods in "
        "Applied Mechanics and Engineering 1 (1), 1–16, 1972."
    ),
    "garcia-bayo-1994": (
        "J. García de Jalón and E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems: The Real-Time Challenge, "
        "Springer, 1994."
    ),
    "bayo-1988": (
        "E. Bayo, J. García de Jalón and M. A. Serna, A modified Lagrangian formulation for the dynamic analysis of "
        "constrained mechanical systems, Computer Methods in Applied Mechanics and Engineering 71 (2), 183–195, 1988."
    ),
    "gantoi-2013": (
        "F. M. Gantoi, New Computational Framework for Biomechanical Multibody System Applications, PhD thesis, "
        "University of Illinois at Chicago, 2013."
    ),
    "weiss-1996": (
        "J. A. Weiss, B. N. Maker, S. Govindjee, Finite element implementation of incompressible, transversely isotropic "
        "hyperelasticity, Computer Methods in Applied Mechanics and Engineering 135 (1996) 107–128."
    ),
    "grood-1983": (
        "E. S. Grood, W. J. Suntay, A joint coordinate system for the clinical description of three-dimensional motions: "
        "application to the knee, Journal of Biomechanical Engineering 105 (1983) 136–144."
    ),
    "saltelli-2010": (
        "A. Saltelli, P. Annoni, I. Azzini, F. Campolongo, M. Ratto, S. Tarantola, Variance based sensitivity analysis of "
        "model output. Design and estimator for the total sensitivity index, Computer Physics Communications 181 (2010) "
        "259–270."
    ),
    "spicka-2013": "J. Špička, Double pendulum contact problem, diploma thesis, Plzeň, May 2013.",
    "simo-wong-1991": (
        "J. C. Simo, K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve "
        "energy and momentum, International Journal for Numerical Methods in Engineering 31 (1991) 19–52."
    ),
    "bank-1985": (
        "R. E. Bank, W. M. Coughran, W. Fichtner, E. H. Grosse, D. J. Rose, R. K. Smith, Transient simulation of silicon "
        "devices and circuits, IEEE Transactions on Electron Devices 32 (1985) 1992–2007."
    ),
    "hosea-1996": (
        "M. E. Hosea, L. F. Shampine, Analysis and implementation of TR-BDF2, Applied Numerical Mathematics 20 (1996) 21–37."
    ),
    "shampine-1997": (
        "L. F. Shampine, M. W. Reichelt, The MATLAB ODE suite, SIAM Journal on Scientific Computing 18 (1997) 1–22."
    ),
    "shampine-1999": (
        "L. F. Shampine, M. W. Reichelt, J. A. Kierzenka, Solving index-1 DAEs in MATLAB and Simulink, SIAM Review 41 (1999) "
        "538–552."
    ),
    "kane-1999": (
        "C. Kane, E. A. Repetto, M. Ortiz, J. E. Marsden, Finite element analysis of nonsmooth contact, Computer Methods "
        "in Applied Mechanics and Engineering 180 (1999) 1–26."
    ),
    "gonzalez-2000": (
        "O. Gonzalez, Exact energy and momentum conserving algorithms for general models in nonlinear elasticity, "
        "Computer Methods in Applied Mechanics and Engineering 190 (2000) 1763–1783."
    ),
    "betsch-steinmann-2001": (
        "P. Betsch, P. Steinmann, Constrained integration of rigid body dynamics, Computer Methods in Applied "
        "Mechanics and Engineering 191 (2001) 467–488."
    ),
    "arnold-bruls-2007": (
        "M. Arnold, O. Brüls, Convergence of the generalized-α scheme for constrained mechanical systems, Multibody "
        "System Dynamics 18 (2007) 185–202."
    ),
    "bruls-cardona-arnold-2012": (
        "O. Brüls, A. Cardona, M. Arnold, Lie group generalized-α time integration of constrained flexible multibody "
        "systems, Mechanism and Machine Theory 48 (2012) 121–137."
    ),
    "de-groote-2016": (
        "F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of direct collocation optimal control problem "
        "formulations for solving the muscle redundancy problem, Annals of Biomedical Engineering 44 (2016) 2922–2936."
    ),
    "millard-2013": (
        "M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle: modeling and simulation of musculotendon "
        "dynamics, Journal of Biomechanical Engineering 135 (2013) 021005."
    ),
    "scholz-2016": (
        "A. Scholz, M. Sherman, I. Stavness, S. Delp, A. Kecskeméthy, A fast multi-obstacle muscle wrapping method using "
        "natural geodesic variations, Multibody System Dynamics 36 (2016) 195–219."
    ),
    "butcher-1964": (
        "J. C. Butcher, On Runge–Kutta processes of high order, Journal of the Australian Mathematical Society 4 (1964) "
        "179–194."
    ),
    "dembia-2020": (
        "Class DeGrooteFregly2016Muscle of OpenSim, by C. L. Dembia and others: the curves of De Groote et al. 2016 with the "
        "constants that make them pass through their reference points; licence Apache 2.0; C. L. Dembia et al., OpenSim Moco: "
        "musculoskeletal optimal control, PLOS Computational Biology 16 (2020) e1008493."
    ),
    "blankevoort-1991": (
        "L. Blankevoort, J. H. Kuiper, R. Huiskes, H. J. Grootenboer, Articular contact in a three-dimensional model of the "
        "knee, Journal of Biomechanics 24 (1991) 1019–1031."
    ),
    "dohrmann-bochev-2004": (
        "C. R. Dohrmann, P. B. Bochev, A stabilized finite element method for the Stokes problem based on polynomial "
        "pressure projections, International Journal for Numerical Methods in Fluids 46 (2004) 183–201."
    ),
    "bedrosian-1992": (
        "G. Bedrosian, Shape functions and integration formulas for three-dimensional finite element analysis, International "
        "Journal for Numerical Methods in Engineering 35 (1992) 95–108."
    ),
    "dompierre-1999": (
        "J. Dompierre, P. Labbé, M.-G. Vallet, R. Camarero, How to subdivide pyramids, prisms, and hexahedra into tetrahedra, "
        "8th International Meshing Roundtable (1999) 195–204."
    ),
    "golub-welsch-1969": (
        "G. H. Golub, J. H. Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23 (1969) 221–230."
    ),
    "timoshenko-woinowsky-krieger-1959": (
        "S. Timoshenko, S. Woinowsky-Krieger, Theory of Plates and Shells, 2nd edition, McGraw-Hill, 1959."
    ),
    "walker-2011": (
        "H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM Journal on Numerical Analysis 49 (2011) "
        "1715–1735."
    ),
    "wohlmuth-2000": (
        "B. I. Wohlmuth, A mortar finite element method using dual spaces for the Lagrange multiplier, SIAM Journal on "
        "Numerical Analysis 38 (2000) 989–1012."
    ),
    "popp-2012": (
        "A. Popp, B. I. Wohlmuth, M. W. Gee, W. A. Wall, Dual quadratic mortar finite element methods for 3D finite "
        "deformation contact, SIAM Journal on Scientific Computing 34 (2012) B421–B446."
    ),
    "leissa-1973": (
        "A. W. Leissa, The free vibration of rectangular plates, Journal of Sound and Vibration 31 (1973) 257–293."
    ),
    "bergan-felippa-1985": (
        "P. G. Bergan, C. A. Felippa, A triangular membrane element with rotational degrees of freedom, Computer Methods "
        "in Applied Mechanics and Engineering 50 (1985) 25–69."
    ),
    "cook-1974": (
        "R. D. Cook, Improved two-dimensional finite element, Journal of the Structural Division ASCE 100 (1974) 1851–1863."
    ),
    "gear-gupta-leimkuhler-1985": (
        "C. W. Gear, B. Leimkuhler, G. K. Gupta, Automatic integration of Euler–Lagrange equations with constraints, "
        "Journal of Computational and Applied Mathematics 12–13 (1985) 77–90."
    ),
    "kutzner-2010": (
        "I. Kutzner, B. Heinlein, F. Graichen, A. Bender, A. Rohlmann, A. Halder, A. Beier and G. Bergmann, Loading of the "
        "knee joint during activities of daily living measured in vivo in five subjects, Journal of Biomechanics 43 (11), "
        "2164–2173, 2010."
    ),
    "butler-1980": (
        "D. L. Butler, F. R. Noyes and E. S. Grood, Ligamentous restraints to anterior-posterior drawer in the human knee: a "
        "biomechanical study, Journal of Bone and Joint Surgery 62-A (2), 259–270, 1980."
    ),
    "winter-1990": "D. A. Winter, Biomechanics and Motor Control of Human Movement, second edition, Wiley, New York, 1990.",
    "perry-1992": "J. Perry, Gait Analysis: Normal and Pathological Function, SLACK, Thorofare, 1992.",
    "mochon-1981": (
        "S. Mochon, A mathematical model of human walking, Lectures on Mathematics in the Life Sciences 14 (1981) 193–214."
    ),
    "bergmann-1993": (
        "G. Bergmann, F. Graichen, A. Rohlmann, Hip joint loading during walking and running, measured in two patients, "
        "Journal of Biomechanics 26 (1993) 969–990."
    ),
    "bergmann-2016": (
        "G. Bergmann, A. Bender, J. Dymke, G. Duda, P. Damm, Standardized loads acting in hip implants, PLOS ONE 11 (2016) "
        "e0155612; forces of level walking at the first peak by patient as tabulated with M. C. M. Fischer et al., Journal "
        "of Biomechanics, 2021, 110526."
    ),
    "iso-2014": (
        "ISO 14242-1:2014, Implants for surgery, Wear of total hip-joint prostheses, Part 1: Loading and displacement "
        "parameters for wear-testing machines and corresponding environmental conditions for test."
    ),
    "maxian-1996": (
        "T. A. Maxian, T. D. Brown, D. R. Pedersen, J. J. Callaghan, A sliding-distance-coupled finite element formulation "
        "for polyethylene wear in total hip arthroplasty, Journal of Biomechanics 29 (1996) 687–692."
    ),
    "hall-1996": (
        "R. M. Hall, A. Unsworth, P. Siney, B. M. Wroblewski, Wear in retrieved Charnley acetabular sockets, Proceedings of "
        "the Institution of Mechanical Engineers, Part H 210 (1996) 197–207."
    ),
    "gemmell-meyer-2018": (
        "K. D. Gemmell, D. M. L. Meyer, Wear of ultra high molecular weight polyethylene against synthetic sapphire as "
        "bearing coating for total joint replacements, Research & Development in Material Science 6 (2018) 000632."
    ),
    "nikam-2025": (
        "N. Nikam et al., Biomechanics, material performance, and wear analysis in total hip arthroplasty: a review, "
        "Surgeries (2025), article 7."
    ),
    "dahl-2012": (
        "J. Dahl, P. Snorrason, L. Nordsletten, S. M. Röhrl, Less wear with aluminium-oxide heads than cobalt-chrome heads "
        "with ultra high molecular weight cemented polyethylene cups: a ten-year follow-up with radiostereometry, "
        "International Orthopaedics 36 (2012) 485–490."
    ),
    "mcleish-charnley-1970": (
        "R. D. McLeish, J. Charnley, Abduction forces in the one-legged stance, Journal of Biomechanics 3 (1970) 191–209."
    ),
    "delp-1990": (
        "S. L. Delp, J. P. Loan, M. G. Hoy, F. E. Zajac, E. L. Topp, J. M. Rosen, An interactive graphics-based model of the "
        "lower extremity to study orthopaedic surgical procedures, IEEE Transactions on Biomedical Engineering 37 (1990) "
        "757–767."
    ),
    "anderson-pandy-2001": (
        "F. C. Anderson, M. G. Pandy, Dynamic optimization of human walking, Journal of Biomechanical Engineering 123 (2001) "
        "381–390."
    ),
    "delp-2007": (
        "Gait models gait10dof18musc, gait2354 and gait2392 of OpenSim with the walk of subject01, its ground reactions and "
        "the joint moments found with them, by D. G. Thelen, A. Seth, F. C. Anderson, S. L. Delp and others after Delp et al. "
        "1990, licence CC BY 3.0; S. L. Delp et al., OpenSim: open-source software to create and analyze dynamic simulations "
        "of movement, IEEE Transactions on Biomedical Engineering 54 (2007) 1940–1950."
    ),
    "reissner-1972": (
        "E. Reissner, On one-dimensional finite-strain beam theory: the plane problem, Zeitschrift für angewandte Mathematik "
        "und Physik 23 (1972) 795–804."
    ),
    "simo-1985": (
        "J. C. Simo, A finite strain beam formulation. The three-dimensional dynamic problem. Part I, Computer Methods in "
        "Applied Mechanics and Engineering 49 (1985) 55–70."
    ),
    "sonneville-2014": (
        "V. Sonneville, A. Cardona, O. Brüls, Geometrically exact beam finite element formulated on the special Euclidean "
        "group SE(3), Computer Methods in Applied Mechanics and Engineering 268 (2014) 451–474."
    ),
    "cowper-1966": (
        "G. R. Cowper, The shear coefficient in Timoshenko's beam theory, Journal of Applied Mechanics 33 (1966) 335–340."
    ),
    "schumaker-1983": (
        "L. L. Schumaker, On shape preserving quadratic spline interpolation, SIAM Journal on Numerical Analysis 20 (1983) "
        "853–864."
    ),
    "arruda-boyce-1993": (
        "E. M. Arruda, M. C. Boyce, A three-dimensional constitutive model for the large stretch behavior of rubber "
        "elastic materials, Journal of the Mechanics and Physics of Solids 41 (1993) 389–412."
    ),
    "gasser-2006": (
        "T. C. Gasser, R. W. Ogden, G. A. Holzapfel, Hyperelastic modelling of arterial layers with distributed "
        "collagen fibre orientations, Journal of the Royal Society Interface 3 (2006) 15–35."
    ),
    "veronda-westmann-1970": (
        "D. R. Veronda, R. A. Westmann, Mechanical characterization of skin—finite deformations, Journal of "
        "Biomechanics 3 (1970) 111–124."
    ),
    "gent-1996": (
        "A. N. Gent, A new constitutive relation for rubber, Rubber Chemistry and Technology 69 (1996) 59–61."
    ),
    "gilbert-1988": (
        "E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance between "
        "complex objects in three-dimensional space, IEEE Journal of Robotics and Automation 4 (1988) "
        "193–203."
    ),
    "vandenbergen-2001": (
        "G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects, Game "
        "Developers Conference, 2001."
    ),
    "ericson-2005": ("C. Ericson, Real-Time Collision Detection, Morgan Kaufmann, San Francisco, 2005."),
    "baerentzen-2005": (
        "J. A. Bærentzen, H. Aanæs, Signed distance computation using the angle weighted pseudonormal, IEEE "
        "Transactions on Visualization and Computer Graphics 11 (2005) 243–253."
    ),
    "sae-2014": (
        "SAE J211-1, Instrumentation for impact test, part 1: electronic instrumentation, SAE International, 2014."
    ),
    "riener-1999": (
        "R. Riener, T. Edrich, Identification of passive elastic joint moments in the lower extremities, Journal of "
        "Biomechanics 32 (1999) 539–544."
    ),
    "iso-rating-2014": (
        "ISO/TS 18571, Road vehicles: objective rating metric for non-ambiguous signals, International "
        "Organization for Standardization, 2014."
    ),
    "altair-2021": (
        "Altair Engineering, Compose reference guide, functions clip, hic, hicd and saefilt95 with examples, 2021."
    ),
    "chou-1974": (
        "C. C. Chou, G. W. Nyquist, Analytical studies of the head injury criterion (HIC), SAE Technical Paper "
        "740082, 1974."
    ),
    "eevc-1998": (
        "European Enhanced Vehicle-safety Committee, Working Group 17, Improved test methods to evaluate "
        "pedestrian protection afforded by passenger cars, 1998."
    ),
    "gtr-2009": (
        "Global technical regulation No. 9, Pedestrian safety, ECE/TRANS/180/Add.9, United Nations Economic "
        "Commission for Europe, 2009."
    ),
    "iso-rating-2024": (
        "ISO/TS 18571, Road vehicles: objective rating metric for non-ambiguous signals, 2nd edition, "
        "International Organization for Standardization, 2024."
    ),
    "weisang-2021": "Weisang GmbH, FlexPro documentation, CFC filter analysis object, 2021.",
    "acary-2011": (
        "V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, A formulation of the linear discrete Coulomb friction problem via "
        "convex optimization, ZAMM 91 (2011) 155–175."
    ),
    "acary-2016": (
        "V. Acary, Energy conservation and dissipation properties of time-integration methods for nonsmooth elastodynamics "
        "with contact, ZAMM 96 (2016) 585–603."
    ),
    "alart-1991": (
        "P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, "
        "Computer Methods in Applied Mechanics and Engineering 92 (1991) 353–375."
    ),
    "anitescu-1997": (
        "M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable linear "
        "complementarity problems, Nonlinear Dynamics 14 (1997) 231–247."
    ),
    "anitescu-2006": (
        "M. Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, Mathematical Programming 105 (2006) "
        "113–143."
    ),
    "nesterov-1998": (
        "Y. E. Nesterov and M. J. Todd, Primal-dual interior-point methods for self-scaled cones, SIAM Journal on Optimization "
        "8 (1998) 324–364."
    ),
    "mehrotra-1992": (
        "S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2 (1992) "
        "575–601."
    ),
    "jean-1999": (
        "M. Jean, The non-smooth contact dynamics method, Computer Methods in Applied Mechanics and Engineering 177 (1999) "
        "235–257."
    ),
    "judice-1994": (
        "J. J. Júdice, F. M. Pires, A block principal pivoting algorithm for large-scale strictly monotone linear "
        "complementarity problems, Computers & Operations Research 21 (1994) 587–596."
    ),
    "mazhar-2015": (
        "H. Mazhar, T. Heyn, D. Negrut, A. Tasora, Using Nesterov's method to accelerate multibody dynamics with friction "
        "and contact, ACM Transactions on Graphics 34 (2015) 32."
    ),
    "murty-1974": (
        "K. G. Murty, Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974) 123–130."
    ),
    "kane-1982": (
        "T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, International Journal of Non-Linear "
        "Mechanics 17 (1982) 175–186."
    ),
    "romero-2009": (
        "I. Romero, J. J. Arribas, A simple method to impose rotations and concentrated moments on ANC beams, Multibody System "
        "Dynamics 21 (2009) 307–323."
    ),
    "studer-2009": ("C. Studer, Numerics of Unilateral Contacts and Friction, Springer, 2009."),
    "moreau-1988": (
        "J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, in: Nonsmooth Mechanics and "
        "Applications, CISM Courses and Lectures 302, Springer, 1988, 1–82."
    ),
    "hansen-2001": (
        "N. Hansen, A. Ostermeier, Completely derandomized self-adaptation in evolution strategies, Evolutionary Computation 9 "
        "(2001) 159–195."
    ),
}
