"""Simulated machines: presets made from measurements, and programs traced through them."""
