"""One file per time-stepping method, and the driver that runs them.

An integrator has `step(system, state, h) -> (state, StepInfo)` and owns nothing else. Imports `condyle.system`.
"""
