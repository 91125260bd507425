"""The registry as an operator sees it: plain REST calls, straight to the server."""
import base64, collections, http.client, json, time, urllib.parse

Answer = collections.namedtuple("Answer", "status headers body")


def request(method, url, body=None, headers=None, tls=None):
    """One request on a connection of its own. tls: whom to trust, for an https URL."""
    parts, headers = urllib.parse.urlsplit(url), dict(headers or {})
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=10, context=tls)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    if parts.username:
        login = "%s:%s" % (parts.username, parts.password)
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    try:
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body=body, headers=headers)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    except http.client.HTTPException as error:
        raise OSError(repr(error)) from error
    finally:
        connection.close()


class Registry:
    """base may hold a login; tls says whom to trust, for https."""

    def __init__(self, base, tls=None):
        self.base, self.tls = base, tls

    def call(self, method, path, body=None, as_peer=False):
        """as_peer: as a replication, which goes no further."""
        headers = {"Accept": "application/json", "Content-Type": "application/json",
                   **({"x-netflix-discovery-replication": "true"} if as_peer else {})}
        return request(method, self.base + "/eureka/" + path, body and json.dumps(body), headers, self.tls)

    def instance(self, app, id):
        """The instance as it is now, or None."""
        answer = self.call("GET", "apps/%s/%s" % (app, id))
        return json.loads(answer.body)["instance"] if answer.status == 200 else None

    def everything(self):
        """The hash, and "APP/id" to status, of one answer."""
        applications = json.loads(self.call("GET", "apps").body)["applications"]
        return applications["apps__hashcode"], {
            "%s/%s" % (app["name"], instance.get("instanceId", instance["hostName"])): instance["status"]
            for app in applications["application"] for instance in app["instance"]}

    def register(self, app, id, as_peer=False, **more):
        return self.call("POST", "apps/" + app, {"instance": instance(app, id, **more)}, as_peer).status

    def heartbeat(self, app, id, dirty=None):
        version = "&lastDirtyTimestamp=%s" % dirty if dirty else ""
        return self.call("PUT", "apps/%s/%s?status=UP%s" % (app, id, version)).status

    def override(self, app, id, status):
        return self.call("PUT", "apps/%s/%s/status?value=%s" % (app, id, status)).status

    def remove_override(self, app, id, status="UP"):
        return self.call("DELETE", "apps/%s/%s/status?value=%s" % (app, id, status)).status

    def metadata(self, app, id, **entries):
        return self.call("PUT", "apps/%s/%s/metadata?%s" % (app, id, urllib.parse.urlencode(entries))).status

    def cancel(self, app, id, as_peer=False):
        return self.call("DELETE", "apps/%s/%s" % (app, id), as_peer=as_peer).status


def instance(app, id, **more):
    """A registration as a Java client sends it. Its host is this machine: some readers call what they find."""
    now = str(int(time.time() * 1000))
    return {
        "instanceId": id, "hostName": "127.0.0.1", "app": app.upper(), "ipAddr": "127.0.0.1", "status": "UP",
        "overriddenStatus": "UNKNOWN", "port": {"$": 9, "@enabled": "true"}, "securePort": {"$": 443, "@enabled": "false"},
        "countryId": 1, "metadata": {"zone": "a"}, "vipAddress": app.lower(), "secureVipAddress": app.lower(),
        "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"},
        "leaseInfo": {"renewalIntervalInSecs": 30, "durationInSecs": 300, "registrationTimestamp": 0,
                      "lastRenewalTimestamp": 0, "evictionTimestamp": 0, "serviceUpTimestamp": 0},
        "homePageUrl": "http://127.0.0.1:9/", "statusPageUrl": "http://127.0.0.1:9/actuator/info",
        "healthCheckUrl": "http://127.0.0.1:9/actuator/health", "isCoordinatingDiscoveryServer": "false",
        "lastUpdatedTimestamp": now, "lastDirtyTimestamp": now, "actionType": "ADDED", **more}
