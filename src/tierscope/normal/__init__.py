"""Is a machine normal? Its numbers beside those of machines of the same kind."""
