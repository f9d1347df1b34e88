"""Is a machine normal? Its numbers compared with those of machines of the same kind."""
