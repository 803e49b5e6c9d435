"""Figures and dates by language: English in each, because auditors read them. It never translates a text."""
