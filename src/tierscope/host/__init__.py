"""The reports of the system about itself, as text below a root, so that tests run on recorded trees."""
