// eureka-js-client against a Eureka server: node client.js HOST PORT full|delta SERVICE_PATH
//
// An instance registers, renews, finds itself and another instance, loses that one again, comes back after it was removed
// behind its back, and leaves. Prints a line for each step; exits 1 at the first that fails.
'use strict';
const http = require('http');
const {createRequire} = require('module');
const {Eureka} = createRequire(process.cwd() + '/')('eureka-js-client');

const [host, port, reads, servicePath] = process.argv.slice(2);
const began = Date.now();
const app = `js-${reads}-${process.pid}`;
const id = `127.0.0.1:${app}:3000`;
const complaints = [];

function instance(app, instanceId) {
  return {
    app, instanceId, hostName: '127.0.0.1', ipAddr: '127.0.0.1', vipAddress: app, status: 'UP',
    port: {$: 3000, '@enabled': true}, metadata: {n: 7}, statusPageUrl: 'http://127.0.0.1:3000/info',
    dataCenterInfo: {'@class': 'com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo', name: 'MyOwn'},
  };
}

/** A call as somebody else would make it: the answer's status and, where there is one, its JSON. */
function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = {accept: 'application/json', 'content-type': 'application/json'};
    const request = http.request({host, port, method, path: '/eureka/apps/' + path, headers, agent: false}, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', part => { text += part; });
      answer.on('end', () => resolve({status: answer.statusCode, json: answer.statusCode === 200 && text && JSON.parse(text)}));
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

function step(what) {
  console.log(`${String(Date.now() - began).padStart(5)} ms  ${what}`);
}

async function until(what, test) {
  for (const start = Date.now(); !await test();) {
    if (Date.now() - start > 15000) throw new Error(`${what}: not within 15 s`);
    await new Promise(resolve => setTimeout(resolve, 30));
  }
  step(what);
}

async function ensure(what, test) {
  if (!await test()) throw new Error(what);
  step(what);
}

const held = async () => (await call('GET', `${app}/${id}`)).json;
const done = method => new Promise((resolve, reject) => method(error => error ? reject(error) : resolve()));

async function main() {
  const complain = (...words) => complaints.push(words.map(word => word && word.message || String(word)).join(' '));
  const client = new Eureka({
    logger: {debug() {}, info() {}, warn() {}, error: complain},
    instance: instance(app, id),
    eureka: {host, port: Number(port), servicePath, heartbeatInterval: 500, registryFetchInterval: 500,
      maxRetries: 1, requestRetryDelay: 100},
    shouldUseDelta: reads === 'delta',
  });
  await done(callback => client.start(callback));
  await ensure('registered, its numbers in metadata as text', async () => {
    const it = (await held()).instance;
    return it.status === 'UP' && it.metadata.n === '7';
  });
  await until('it finds itself by name', () => client.getInstancesByAppId(app.toUpperCase()).length === 1);
  await ensure('it finds itself by VIP', () => client.getInstancesByVipAddress(app).length === 1);

  const other = app + '-other';
  await ensure('another one registers', async () =>
    (await call('POST', other, {instance: instance(other, 'other:1')})).status === 204);
  await until('it finds the other one', () => client.getInstancesByVipAddress(other).length === 1);
  await ensure('the other one leaves', async () => (await call('DELETE', `${other}/other:1`)).status === 200);
  await until('it has lost the other one', () => client.getInstancesByVipAddress(other).length === 0);

  const renewed = (await held()).instance.leaseInfo.lastRenewalTimestamp;
  await until('its heartbeats renew the lease', async () =>
    (await held()).instance.leaseInfo.lastRenewalTimestamp > renewed);
  await ensure('it is removed behind its back', async () => (await call('DELETE', `${app}/${id}`)).status === 200);
  await until('it has registered again', held);
  await done(callback => client.stop(callback));
  await ensure('it has left', async () => !await held());
  await ensure('it had nothing to complain of', () => complaints.length === 0);
}

main().then(() => process.exit(0), error => {
  console.log([error.message, ...complaints.slice(-5)].join('\n'));
  process.exit(1);
});
