"""What must hold for every law, part and integrator, whoever wrote it.

laws.py     derivatives of laws against finite differences, the discrete gradient
tangent.py  the assembled matrix against finite differences of the residual
motion.py   conservation along a run, convergence and restart of integrators
parts.py    the way to a file and back, an example of a part and a model around it

The tests run these checks over all that Condyle comes with, `condyle check FILE` over what a user brings. A check returns
nothing or a note, or raises `CheckFailed` with what is wrong.
"""
