// Speaking to the house: JSON there and back. An answer is data, a Refusal (the house said no), or Unreached (nobody knows).

import { language, t } from "../language.js";
import { csrfToken, openedBy } from "../person.js";
import { tabletOf } from "./keep.js";

const PATIENCE = 12_000;

/** The house refused: status, code, the sentence to show, the field, and whatever else it answered. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, code?: string, field?: string|null}} body
   */
  constructor(status, body) {
    super(body.error || t("The house refused this."));
    this.status = status;
    this.code = body.code || `http_${status}`;
    this.field = body.field ?? null;
    this.body = body;
  }

  /** Whether the person has to sign in again. */
  get signedOut() {
    return this.status === 401 || this.code === "not_signed_in" || this.code === "signed_out";
  }
}

/** No answer, or one that says nothing: the act may have happened or not. Sending it again with its key is safe. */
export class Unreached extends Error {}

/**
 * @param {string} method
 * @param {string} path below /api/
 * @param {object} [body]
 * @returns {Promise<object>}
 * @throws {Refusal|Unreached}
 */
async function call(method, path, body) {
  let response;
  let data;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      signal: AbortSignal.timeout(PATIENCE),
      cache: "no-store",
      headers: {
        Accept: "application/json",
        "Accept-Language": language(),
        ...(body ? { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? document.querySelector("[data-csrf]").dataset.csrf, "X-Opened-By": openedBy() } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
    data = await response.json();
  } catch (error) {
    if (response && response.status >= 400 && response.status < 500) {
      throw new Refusal(response.status, { error: t("The house refused this without a reason.") });
    }
    throw new Unreached(error.message);
  }
  if (response.ok) return data;
  const clock = response.status === 503 && data.code?.startsWith("clock_"); // a person has to act, sending again does not help
  if (clock) throw new Refusal(response.status, data);
  if (response.status >= 500 || response.status === 429) throw new Unreached(`status ${response.status}`);
  throw new Refusal(response.status, data);
}

export const getPlan = (session, decline, cash, twoHands) =>
  call("GET", `sessions/${session}/plan?decline=${decline.join(",")}&cash=${cash.join(",")}&two_hands=${twoHands.join(",")}&tablet=${tabletOf(session)}`);
export const startRound = (session, body) => call("POST", `sessions/${session}/rounds`, body);
export const getRound = (round) => call("GET", `rounds/${round}`);
export const putDraft = (round, body) => call("PUT", `rounds/${round}/draft`, body);
export const settle = (round, body) => call("POST", `rounds/${round}/settle`, body);
export const voidRound = (round, body) => call("POST", `rounds/${round}/void`, body);
export const checkCorrection = (round, body) => call("POST", `rounds/${round}/corrections/check`, body);
export const askCorrection = (round, body) => call("POST", `rounds/${round}/corrections`, body);
export const reportDiscrepancy = (session, body) => call("POST", `sessions/${session}/discrepancies`, body);
