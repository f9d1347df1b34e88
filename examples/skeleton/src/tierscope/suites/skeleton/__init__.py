"""How fast does one CPU read footprints of several sizes? Write the question of your suite here."""
