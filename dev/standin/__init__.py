"""The stand-in model: an OpenAI-compatible server that needs no weights and no key.

`extract` answers from the given passages by quoting them; `sim-…` models play latency scenarios
(`dev.standin.scenario` has their grammar) and `dev.standin.control` reads back what was asked. It
knows nothing of the application beyond the prompt form that `app.prompt` documents.
"""
