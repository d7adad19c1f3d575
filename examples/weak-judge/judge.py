"""A judge for pairs: a small chat model that names a slot first and gives one short reason.

Small models ramble when they are asked for a list of evidence; this asks for the verdict, then for at most 120
characters. It speaks the protocol of `command` judges: one question per line in, one answer per line out.
"""

import json
import os
import sys
import urllib.request

URL = os.environ.get("WEAK_JUDGE_URL", "http://127.0.0.1:8080/v1") + "/chat/completions"
FORM = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["A", "B", "tie"]},
        "reason": {"type": "string", "minLength": 10, "maxLength": 120},
    },
    "required": ["verdict", "reason"],
    "additionalProperties": False,
}


def ask(system, user):
    body = {
        "model": "smollm2-135m-instruct",
        "temperature": 0,
        "max_tokens": 80,
        "cache_prompt": False,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "schema": FORM}},
    }
    request = urllib.request.Request(URL, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(json.load(answer)["choices"][0]["message"]["content"])


for line in sys.stdin:
    question = json.loads(line)
    said = ask(question["prompt"]["system"], question["prompt"]["user"])
    answer = {"packet": question["packet"], "verdict": said["verdict"], "evidence": [said["reason"]]}
    print(json.dumps(answer), flush=True)
