"""Integrators that run compiled, with the model inside the loop."""
