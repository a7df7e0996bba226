"""The English words of /latency, and of measures and stages: a name, and what it is."""

WORDS = {
    "latency": "Latency",
    "latency_lead": "What people waited for, as their browsers and this server saw it.",
    "latency_read_1": "Read: {n} turns of the last day",
    "latency_read": "Read: {n} turns of the last {days} days",
    "latency_read_capped": "Read: the latest {n} turns only, of the last {days} days",
    "latency_painted": "{n} were measured in a browser",
    "latency_left_out": "{n} of a hidden tab or a resumed stream, left out of what browsers saw",
    "latency_cached": "{n} from a cache",
    "latency_failed": "{n} failed",
    "latency_none": "No turns in this time yet. Ask something, then come back.",
    "latency_no_data": "No data yet",
    "latency_over": "{part} holds this deployment back: {numbers} {lever}",
    "latency_within": (
        "First token and pace keep their budgets at p95. What is left to gain is in {part}: {numbers} {lever}"
    ),
    "latency_by_server": "By the server's clock, for too few browsers have told: ",
    "latency_few": (
        "Too few turns to say what holds this deployment back: {n} of the {fewest} that it takes."
    ),
    "latency_part_prefill": "prefill",
    "latency_part_decode": "decode",
    "latency_part_retrieval": "retrieval",
    "latency_part_own": "this application's own part",
    "latency_numbers_wait": (
        "at p95 it takes {part} and the first token comes after {ttft} (budget {ttft_limit}); each "
        "further token takes {tpot} (budget {tpot_limit}); n = {n}."
    ),
    "latency_numbers_decode": (
        "at p95 each further token takes {tpot} (budget {tpot_limit}), and the first token comes after "
        "{ttft} (budget {ttft_limit}); n = {n}."
    ),
    "latency_lever_prefill": (
        "What helps: a shorter prompt (fewer passages, less history), a beginning that stays the same "
        "so that the server's prefix cache holds it, a smaller model for simple questions."
    ),
    "latency_lever_decode": (
        "What helps: shorter answers (a cap on output), a smaller model, more hardware or better "
        "batching where the model runs."
    ),
    "latency_lever_retrieval": (
        "What helps: a nearer or faster index, fewer legs that the answer waits for, embedding the "
        "question while it is typed."
    ),
    "latency_lever_own": (
        "What helps: look at the slowest turns below for the stage that is long, or the stretch that nothing "
        "accounts for; then more processes, work moved behind the answer, or a shorter way to the browser."
    ),
    "latency_days": "Time",
    "latency_days_1": "1 day",
    "latency_days_7": "7 days",
    "latency_days_30": "30 days",
    "latency_whose": "Turns",
    "latency_whose_all": "everybody's",
    "latency_whose_mine": "mine",
    "latency_by": "By",
    "latency_by_route": "route",
    "latency_by_model": "model",
    "latency_by_cached": "cached or not",
    "latency_by_day": "day (UTC)",
    "latency_group_cached": "cached",
    "latency_group_fresh": "not cached",
    "latency_group_none": "(none)",
    "latency_all": "all",
    "latency_budgets": "Budgets",
    "latency_goodput": "Goodput: {share} of {n} turns met every budget.",
    "latency_goodput_none": "Goodput: no turn was measured in a browser yet.",
    "latency_measure": "measure",
    "latency_limit": "budget",
    "latency_met": "met",
    "latency_who": "who broke it",
    "latency_nobody": "nobody",
    "latency_broken": "broken at p95",
    "latency_culprit": "{route} · {model}: {broken} of {n}",
    "latency_more": "and {n} more",
    "latency_distributions": "Distributions",
    "latency_percentile": (
        "The percentile axis is stretched towards the tail: as much room from p90 to p99 as from p0 to p90."
    ),
    "latency_phases": "Prefill and decode",
    "latency_phases_chart": "Each turn: prefill against decode",
    "latency_prompt_chart": "First token against prompt length",
    "latency_days_chart": "First token by day",
    "latency_axis_prefill": "prefill, ms",
    "latency_axis_decode": "decode, ms",
    "latency_axis_prompt": "prompt tokens",
    "latency_axis_ttft": "first token, ms",
    "latency_axis_days": "days (today = 0)",
    "latency_drawn": "The charts of single turns draw the latest {n}.",
    "latency_table": "Percentiles",
    "latency_group": "group",
    "latency_slowest": "The slowest turns",
    "latency_slowest_lead": (
        "By first token. Whose turn it was and what was asked is not shown; your own have a link."
    ),
    "latency_open": "Open the conversation",
    "latency_definitions": "What the names mean",
    "latency_tokens": "{n} prompt tokens",
    "latency_total": "total",
}

MEASURES = {
    "ttfp": ("first progress", "from sending the question to the first step that was painted"),
    "ttfs": ("first source", "from sending the question to the first source that was painted"),
    "ttft": ("first token", "from sending the question to the first text of the answer that was painted"),
    "added_ttft": ("added by us", "first token without the model's wait and without retrieval"),
    "upstream_ttft": ("model's first token", "from handing over the request to the model's first text"),
    "tpot": ("per output token", "time between two tokens of an answer: the decode"),
    "stall_max": ("longest pause", "the longest gap between two pieces of an answer"),
    "total": ("total", "from sending the question to the end of the answer"),
    "send": ("sending", "from the click to the question's arrival"),
    "queue": ("queue", "from arrival until work began"),
    "cache": ("answer cache", "looking for a recorded answer"),
    "route": ("routing", "choosing a model"),
    "history": ("history", "recalling the conversation"),
    "embed": ("embedding", "the question to a vector"),
    "dense": ("vector search", "the nearest passages"),
    "lexical": ("word search", "the passages that share the question's words"),
    "warm": ("while typing", "what had begun before the question was sent"),
    "rewrite": ("follow-up", "what a question means that leans on the conversation"),
    "meant": ("follow-up search", "the search for what the follow-up means"),
    "fuse": ("fusion", "the two searches' passages become the few that the model reads"),
    "search": ("retrieval", "everything from the question to its passages"),
    "earlier": ("earlier answer", "reading the answer that may be repeated"),
    "settle": ("settling", "the route, now that conversation and passages are known"),
    "small": ("small model", "an answer that would not do, so that the large model was asked"),
    "prompt": ("prompt", "building the messages"),
    "connect": ("connecting", "until a connection carried the request to the model"),
    "prefill": ("prefill", "the model reads the prompt, until its first text"),
    "decode": ("decode", "from the first text to the last"),
    "render": ("drawing", "the first text to HTML, in this process"),
    "own": ("browser's part", "first token without the server's time to its first text"),
    "deliver": ("delivery", "from the server's first text to its paint in the browser"),
    "gap": ("unaccounted for", "none of the stages ran: waiting for the processor, say"),
    "server_ttft": ("first token, at the server", "from the question's arrival to the first text"),
    "server_added_ttft": ("added, at the server", "the same without the model's wait and retrieval"),
    "server_tpot": ("per output token, at the server", "as its text came from the model"),
    "server_stall_max": ("longest pause, at the server", "between two pieces of text from the model"),
    "server_total": ("total, at the server", "from the question's arrival to the end of the answer"),
}
