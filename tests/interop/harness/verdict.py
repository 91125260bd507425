"""A check's own process: what it is given, how it says what it finds, and how it ends.

A check is a module `checks.NAME` whose last line is `verdict.give(body)`. It is told where the server is by one JSON
argument, prints a line for each step, and ends with exit code 0 (all is well) or 1 after the reason as its last line.
"""
import json, signal, sys, time, traceback

_began = time.monotonic()
_evidence = []


class Failed(Exception):
    """The server, or the client because of it, did not do what it must."""


def given():
    """base, server (how to start one of one's own), java, cache, log (a folder), limit (seconds), args."""
    return json.loads(sys.argv[1])


def step(text):
    print("%7.1f s  %s" % (time.monotonic() - _began, text), flush=True)


def ensure(ok, reason):
    if not ok:
        raise Failed(reason)


def until(what, test, limit=15, pause=0.05):
    """Waits until test() is true and returns its value; an OSError (the other side is not there) counts as not yet."""
    began, last = time.monotonic(), None
    while True:
        try:
            last = test()
            if last:
                step("%s (%.2f s)" % (what, time.monotonic() - began))
                return last
        except OSError as error:
            last = repr(error)
        if time.monotonic() - began > limit:
            raise Failed("%s: not within %d s, last: %.300r" % (what, limit, last))
        time.sleep(pause)


def allowed(name, why):
    """A documented fault of the Java server that this run met; never called for another server."""
    ensure(given()["java"], "%s is allowed to the Java server alone: %s" % (name, why))
    step("allowed to the Java server (%s): %s" % (name, why))


def show_when_failing(describe):
    """describe() -> text, printed when the check fails: a client's log, the last requests."""
    _evidence.append(describe)


def give(body):
    """Runs the check within its time limit."""
    def late(*_):
        raise Failed("time limit of %d s" % given()["limit"])

    def asked(*_):
        sys.exit(1)

    signal.signal(signal.SIGALRM, late)
    signal.signal(signal.SIGTERM, asked)
    signal.alarm(given()["limit"])
    try:
        body()
        return
    except Failed as failed:
        reason = str(failed)
    except Exception as error:
        traceback.print_exc(file=sys.stdout)
        reason = "%s: %s" % (type(error).__name__, error)
    finally:
        signal.alarm(0)
    for describe in _evidence:
        print(describe())
    print(reason.replace("\n", " | "), flush=True)
    sys.exit(1)
