import type { ReceivedRequest } from '../../infra/local/gateway/request.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { checkResponse, findOperation } from '../requests/check-response.ts'
import { type ApiResponse, readCode } from './api-response.ts'
import type { History } from './history.ts'

/** The base path of the API, which the contract leaves out. */
const basePath = /^\/v1(?=\/)/

/** The invariant of each response, also of one that its caller does not get. */
export class ResponseRules {
  readonly #history: History
  readonly #isReleased: () => boolean

  /**
   * @param isReleased whether only the present sources respond. Functions of the last release follow its contract,
   * which may lack fields of the present one.
   */
  constructor(history: History, isReleased: () => boolean) {
    this.#history = history
    this.#isReleased = isReleased
  }

  /** Checks that the contract has the response. */
  check({ httpMethod, rawPath }: Pick<ReceivedRequest, 'httpMethod' | 'rawPath'>, response: ApiResponse): void {
    const path = rawPath.replace(basePath, '')
    const differences = this.#isReleased()
      ? checkResponse(httpMethod, path, toSeenResponse(response))
      : checkStatus(httpMethod, path, response)
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

/** Checks only the status and the code of a response. */
const checkStatus = (method: string, path: string, response: ApiResponse): readonly string[] => {
  const { status } = response
  const operation = findOperation(method, path)
  const isDocumented = operation !== undefined && String(status) in operation.responses
  const code = readCode(response)
  const hasItsStatus = code === undefined || catalogue[code]?.status === status
  return isDocumented && hasItsStatus ? [] : ['it has another status or code']
}
