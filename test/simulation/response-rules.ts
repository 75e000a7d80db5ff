import type { ReceivedRequest } from '../../infra/local/gateway/request.ts'
import { checkResponse } from '../requests/check-response.ts'
import type { ApiResponse } from './api-response.ts'
import type { History } from './history.ts'

/** The base path of the API, which the contract leaves out. */
const basePath = /^\/v1(?=\/)/

/** The invariant of each response, also of one that its caller does not get. */
export class ResponseRules {
  readonly #history: History

  constructor(history: History) {
    this.#history = history
  }

  /** Checks that the contract has the response. */
  check({ httpMethod, rawPath }: Pick<ReceivedRequest, 'httpMethod' | 'rawPath'>, response: ApiResponse): void {
    const path = rawPath.replace(basePath, '')
    const differences = checkResponse(httpMethod, path, toSeenResponse(response))
    if (differences.length === 0) return
    const text = `${response.status} ${response.body.slice(0, 200)}: ${differences.join('; ')}`
    this.#history.report('every response is one of the contract', `${httpMethod} ${path}`, text)
  }
}

const toSeenResponse = ({ status, headers, body }: ApiResponse) => ({
  status,
  headers: new Headers(headers.map(([name, value]) => [name, value])),
  text: body,
})
