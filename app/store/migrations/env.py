"""Alembic's entry: it runs on the connection that app.store.migrate hands over, and on no other."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
