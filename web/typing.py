"""What may be done while a question is still being typed. Knows no turn: nothing is kept of it."""

from contextlib import suppress

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from app.errors import TurnError
from app.turn import foresee
from web.questions import BadQuestion, check_size, read_question
from web.state import door_of

LONGEST = 500  # characters; whoever pastes more does not type


async def typing(request: Request) -> Response:
    """204; the search for what stands in the box has begun, in place of the one before, and behind the answer
    the connection to the model is opened, should it have closed meanwhile."""
    check_size(request)
    services = door_of(request).services
    form = await request.form(max_files=0, max_fields=4)
    with suppress(BadQuestion, TurnError):
        turn = read_question(request, form.get("question"), form.get("conversation"), None)
        if len(turn.question) <= LONGEST:
            await foresee(turn, services.stages)
    return Response(status_code=204, background=BackgroundTask(services.model.warm))
