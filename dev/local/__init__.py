"""A real small model for measuring: SmolLM2-135M behind llama.cpp's server, both from wheels.

Its prefill and decode cost what a model's do, so waits can be studied on any machine without a key. Its
answers are wrong more often than right. It knows nothing of the application: it speaks the OpenAI protocol.
"""
