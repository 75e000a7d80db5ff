import { checkResponse, type SeenResponse } from '../../fixtures/check-response.ts'

export interface CheckedRequest {
  /** What the report calls it. */
  readonly name: string
  readonly method?: string
  /** Below the base URL. */
  readonly target: string
  readonly apiKey: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The statuses that are right. */
  readonly expected: readonly number[]
}

/** What was sent to an environment, and what was wrong with the responses. */
export class Findings {
  readonly responses = new Map<string, number>()
  /** The first few of all; the same fault comes often. */
  readonly faults: string[] = []
  faultCount = 0
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** Sends a request, and records a response that the contract or the test does not allow. */
  async send(request: CheckedRequest): Promise<SeenResponse> {
    const { name, method = 'GET', target, apiKey, headers = {}, body = null, expected } = request
    const contentType: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
    const response = await fetch(this.#baseUrl + target, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...contentType, ...headers },
      body,
    })
    const seen = { status: response.status, headers: response.headers, text: await response.text() }
    this.count(`${name} ${seen.status}`)
    if (!expected.includes(seen.status)) this.fault(`${name}: got ${seen.status}: ${seen.text.slice(0, 200)}`)
    for (const fault of checkResponse(method, target.replace(/\?.*/, ''), seen)) this.fault(`${name}: ${fault}`)
    return seen
  }

  count(what: string): void {
    this.responses.set(what, (this.responses.get(what) ?? 0) + 1)
  }

  fault(what: string): void {
    this.faultCount += 1
    if (this.faults.length < mostShown) this.faults.push(what)
  }

  get requests(): number {
    return [...this.responses.values()].reduce((sum, count) => sum + count, 0)
  }
}

const mostShown = 20
