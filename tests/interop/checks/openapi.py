"""The OpenAPI document that a server gives, by the rules of OpenAPI 3.1: what `cargo test` knows of it is its own."""
import json

from openapi_spec_validator import validate

from harness import verdict
from harness.registry import request
from harness.verdict import ensure, given, step


def body():
    answer = request("GET", given()["base"] + "/eureka/openapi.json")
    ensure(answer.status == 200 and answer.headers["content-type"] == "application/json", "answered %d" % answer.status)
    document = json.loads(answer.body)
    ensure(document["openapi"].startswith("3.1."), "it is of OpenAPI %s" % document["openapi"])
    validate(document)
    step("%d paths are described by the rules" % len(document["paths"]))


verdict.give(body)
