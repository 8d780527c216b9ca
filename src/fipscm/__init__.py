"""From a table of observations to what is, what if, and what would have been."""

__version__ = "0.1.0"
