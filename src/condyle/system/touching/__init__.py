"""Points against surfaces of rigid bodies as kernels: distances, laws, forces on rows and their tangent.

What they compute is that of `contact` (surface, law, pair, step), point by point; a test compares both for every surface and
law.
"""
