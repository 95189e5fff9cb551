"""Nominal motion, control, perturbation method and adaptive modal integration."""
