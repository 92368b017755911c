"""Problems that are not a simulation in time: statics for now. Imports `condyle.system` and `condyle.integrators`."""
