// The token that proves that a page of the house sends an act is found under both names of its cookie.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answering, begin } from "./house.mjs";
import { settle } from "../../casino/static/js/dealer/api.js";

const cookies = [
  ["theme=dark; csrftoken=by%20http", "by http"], // a demo, without TLS
  ["theme=dark; __Host-csrftoken=by%20TLS", "by TLS"],
];

for (const [cookie, token] of cookies) {
  test(`the token of "${cookie}" goes with an act`, async () => {
    begin();
    document.cookie = cookie;
    answering([200, {}]);
    const { fetch } = globalThis;
    const sent = [];
    globalThis.fetch = (path, options) => {
      sent.push(options.headers["X-CSRFToken"]);
      return fetch(path, options);
    };
    await settle(7, { key: "a" });
    globalThis.fetch = fetch;
    assert.deepEqual(sent, [token]);
  });
}
