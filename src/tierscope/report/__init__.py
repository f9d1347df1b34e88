"""Reports: rows, insights and findings of a run as figures, files and terminal text. Nothing is measured here."""
