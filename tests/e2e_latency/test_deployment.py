"""An address that somebody names: where Prelude really is, or in one line why it is not there."""

import pytest

from e2e.latency.deployment import NotThere, origin_of
from e2e.stack import Stack
from tests.e2e_latency.servers import always, serving


def test_a_prelude_is_found_also_behind_a_redirect(stack: Stack) -> None:
    assert origin_of(stack.url) == stack.url
    assert origin_of(f"{stack.url}/?from=mail") == stack.url
    with serving(always(f"HTTP/1.1 302 Found\r\nLocation: {stack.url}/\r\n\r\n".encode())) as url:
        assert origin_of(url) == stack.url


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://a", "http://", "", "http://[::1", "http://a:b"])
def test_what_is_no_address_is_said_with_what_one_is(url: str) -> None:
    with pytest.raises(NotThere, match=r"but it takes an address such as https://"):
        origin_of(url)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "has no box for a question"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno", "Busy"),
        (b"", "cannot be asked: Remote end closed connection"),
        (b"what?\r\n\r\n", "cannot be asked: what?"),
    ],
)
def test_who_answers_otherwise_is_no_prelude(answer: bytes, said: str) -> None:
    with serving(always(answer)) as url, pytest.raises(NotThere) as error:
        origin_of(url)
    assert str(error.value).startswith(url)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_nobody_at_all() -> None:
    with pytest.raises(NotThere, match=r"http://127\.0\.0\.1:9 cannot be asked: .*refused"):
        origin_of("http://127.0.0.1:9")
