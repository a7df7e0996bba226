"""The stand-in model, over real sockets."""
