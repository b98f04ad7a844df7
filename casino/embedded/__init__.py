"""The development stack: PostgreSQL, Valkey, web, worker and beat from pip's wheels, below one supervisor.

Production needs nothing of this package; there each part is started by the operator's own means.
"""
