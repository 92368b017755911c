"""The method of Wood, Bossak and Zienkiewicz (1980): it damps by weighing inertia forces, not forces, of both ends of a step.

    (1 − αm) a1 + αm a0 = u̇1,   αm = (ρ − 1)/(ρ + 1) ≤ 0

A member of the family of generalized-α gives its coefficients and nothing else: its steps are compiled, watched and resumed as
those of all the others.
"""

import condyle as cd


@cd.register_integrator
class WoodBossakZienkiewicz(cd.GeneralizedAlpha):
    """Second order; spectral_radius ρ: as of GeneralizedAlpha."""

    @property
    def coefficients(self):
        am = (self.spectral_radius - 1.0) / (self.spectral_radius + 1.0)
        return am, 0.0, 0.25 * (1.0 - am) ** 2, 0.5 - am
