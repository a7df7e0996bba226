"""What a call used that was left early."""

from app.models.usage import left_early
from app.prompt import Message
from app.text import estimate_tokens


def test_a_call_that_was_left_early_read_its_prompt_and_said_what_came() -> None:
    messages = [Message("system", "Be brief."), Message("user", "城墙有多高？" * 50)]
    told = sum(estimate_tokens(message.content) for message in messages)
    used = left_early(messages, "I don't know.")
    assert told < used.prompt_tokens < 1.1 * told
    assert used.completion_tokens == estimate_tokens("I don't know.")
    assert left_early(messages, "").completion_tokens == 0
