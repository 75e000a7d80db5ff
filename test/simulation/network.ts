import type { ReceivedRequest } from '../../infra/local/gateway/request.ts'
import { checkResponse } from '../requests/check-response.ts'
import { type ApiResponse, type Edge, readApiKey, readCode } from './edge.ts'
import type { Faults } from './faults.ts'
import type { History } from './history.ts'
import type { LimitPromises } from './limit-promises.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

export const baseUrl = 'https://api.example/v1'

/** The base path of the API, which the contract leaves out. */
const basePath = /^\/v1(?=\/)/

interface NetworkOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly history: History
  readonly limitPromises: LimitPromises
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
    const { time, random, faults, history, limitPromises, edge } = this.#options
    const request = this.#createRequest(url, init)
    const apiKey = readApiKey(request.headers)
    const sent = limitPromises.begin(apiKey)

    await time.pause(random.between(5, 150))
    const response = await edge(request)
    const headers = new Headers(response.headers.map(([name, value]) => [name, value]))
    this.#checkContract(request, response, headers)
    await time.pause(random.between(5, 150))
    const isLost = faults.draw('a response to a caller is lost')
    limitPromises.end(sent, response, headers, isLost)
    const outcome = `${response.status} ${readCode(response) ?? ''}`.trim()
    history.count(`responses ${outcome}`)
    history.note(apiKey, `${request.httpMethod} ${request.rawPath} -> ${outcome}${isLost ? ', lost' : ''}`)
    if (isLost) await new Promise(() => {})

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

  /** Checks that the contract has a response, also one that its caller does not get. */
  #checkContract({ httpMethod, rawPath }: ReceivedRequest, { status, body }: ApiResponse, headers: Headers): void {
    const path = rawPath.replace(basePath, '')
    const differences = checkResponse(httpMethod, path, { status, headers, text: body })
    if (differences.length === 0) return
    const text = `${status} ${body.slice(0, 200)}: ${differences.join('; ')}`
    this.#options.history.report('every response is one of the contract', `${httpMethod} ${path}`, text)
  }
}
