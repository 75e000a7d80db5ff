import type { ReceivedRequest } from '../../infra/local/gateway/request.ts'
import { type ApiResponse, readCode } from './api-response.ts'
import { type Edge, readApiKey } from './edge.ts'
import type { Faults } from './faults.ts'
import type { History } from './history.ts'
import type { LimitRules } from './limit-rules.ts'
import type { Random } from './random.ts'
import type { ResponseRules } from './response-rules.ts'
import type { VirtualTime } from './virtual-time.ts'

export const baseUrl = 'https://api.example/v1'

interface NetworkOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly history: History
  readonly limitRules: LimitRules
  readonly responseRules: ResponseRules
  readonly edge: Edge
}

/** The network between callers and the edge. It takes the place of `fetch`, and loses responses. */
export class Network {
  readonly #options: NetworkOptions
  #sentRequests = 0

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    return Promise.race([this.#send(new URL(String(input)), init), aborted])
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const { time, random, faults, history, limitRules, responseRules, edge } = this.#options
    const request = this.#createRequest(url, init)
    const apiKey = readApiKey(request.headers)
    history.count('requests')
    const attempt = limitRules.begin(apiKey)

    await time.pause(random.between(5, 150))
    const response = await edge(request)
    responseRules.check(request, response)
    await time.pause(random.between(5, 150))
    if (faults.drawLossOfResponseToCaller()) {
      limitRules.lose(attempt, response)
      history.count('lost')
      history.note(apiKey, `${request.httpMethod} ${request.rawPath} -> ${response.status}, lost`)
      await new Promise(() => {})
    }

    limitRules.end(attempt, response)
    this.#count(response)
    history.note(apiKey, `${request.httpMethod} ${request.rawPath} -> ${response.status} ${readCode(response) ?? ''}`)
    const headers = new Headers(response.headers.map(([name, value]) => [name, value]))
    headers.set('x-amz-apigw-id', request.extendedRequestId)
    return new Response(response.body === '' ? null : response.body, { status: response.status, headers })
  }

  #createRequest(url: URL, { method = 'GET', headers, body }: RequestInit): ReceivedRequest {
    this.#sentRequests += 1
    const entries = [...new Headers(headers)].map(([name, value]) => [name, [value]])
    return {
      requestId: `request-${this.#sentRequests}`,
      extendedRequestId: `edge-${this.#sentRequests}`,
      httpMethod: method,
      rawPath: url.pathname,
      rawQuery: url.search.slice(1),
      headers: Object.fromEntries(entries),
      sourceIp: '192.0.2.1',
      readBody: async () => (typeof body === 'string' ? body : ''),
    }
  }

  #count({ status }: ApiResponse): void {
    const { history } = this.#options
    if (status < 300) history.count('successes')
    else if (status === 429) history.count('limited')
    else if (status < 500) history.count('otherErrors')
    else history.count('failures')
  }
}
