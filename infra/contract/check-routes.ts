/** Checks of what the service can route and respond, which the rules of `redocly.yaml` cannot express. */
import { createContractError, type Operation, type Responses } from './openapi.ts'

/** A path and a method, with their operation. */
export interface Route {
  readonly path: string
  /** In capitals, such as `GET`. */
  readonly method: string
  readonly operation: Operation
}

/** Functions that serve no operation, and whose folders an operationId could name. `authorizer` is only one word. */
const otherFunctions = ['unknownRoute', 'gatewayKeys']

/** @throws UserError that names the first route that the service cannot serve */
export const checkRoutes = (routes: readonly Route[]): void => {
  for (const { path, method, operation } of routes) {
    const place = `${method} ${path}`
    checkPath(path)
    checkOperationId(operation.operationId, place)
    checkResponses(operation.responses, place)
    checkRefusals(operation, method, place)
    if (operation.requestBody !== undefined && ['GET', 'DELETE'].includes(method)) {
      throw createContractError(`${place}: browsers and gateways send no body with it.`)
    }
    checkCommonResponses(operation.responses, place)
  }
  checkPathParameters(routes)
}

const checkPath = (path: string): void => {
  if (/^(\/([a-z\d-]+|\{\w+\}))+$/.test(path)) return
  throw createContractError(`${path}: each part of a path must be lower-case words with hyphens, or {name} as a whole.`)
}

/**
 * Checks that an operationId has several words. Then it is no keyword of JavaScript, and differs from `authorizer` and
 * from the other files of `shared/contract/generated`: `errors`, `routes` and `types`.
 */
const checkOperationId = (operationId: string, place: string): void => {
  if (/^[a-z]+([A-Z][a-z\d]*)+$/.test(operationId) && !otherFunctions.includes(operationId)) return
  throw createContractError(`${place}: the operationId must be a verb and a noun in camel case, such as getPet.`)
}

/** Checks statuses and bodies: a response has a JSON body, except one of status 204, which has none (RFC 9110). */
const checkResponses = (responses: Responses, place: string): void => {
  for (const [status, { content }] of Object.entries(responses)) {
    if (!/^(20[0124]|[45]\d\d)$/.test(status)) {
      throw createContractError(
        `${place}: the status ${status} is not served. Use 200, 201, 202, 204 and those of errors.`,
      )
    }
    if ((content === undefined) === (status === '204')) continue
    const problem = status === '204' ? 'must have no content' : 'needs a content, or the status 204'
    throw createContractError(`${place}: the response ${status} ${problem}.`)
  }
}

/** Statuses of the responses that API Gateway, the authorizer and the handler of every operation can send. */
const commonStatuses = ['400', '401', '403', '413', '429', '500', '503', '504']

const checkCommonResponses = (responses: Responses, place: string): void => {
  const missing = commonStatuses.filter((status) => responses[status] === undefined)
  if (missing.length === 0) return
  throw createContractError(`${place}: it needs the responses ${missing.join(', ')}, as every operation.`)
}

/** Checks that an operation has the responses with which the service refuses requests before it runs the operation. */
const checkRefusals = ({ requestBody, responses }: Operation, method: string, place: string): void => {
  if (requestBody !== undefined && responses['415'] === undefined) {
    throw createContractError(`${place}: it needs the response 415, for a body that is not JSON.`)
  }
  const { examples = {} } = responses['403']?.content?.['application/json'] ?? {}
  // A key of the scope `read` may send only GET.
  if (method !== 'GET' && examples['insufficient_scope'] === undefined) {
    throw createContractError(`${place}: its response 403 must have the example insufficient_scope.`)
  }
}

/** Checks that parameters at one place have one name: `/pets/{petId}` and `/pets/{id}/photos` cannot both exist. */
const checkPathParameters = (routes: readonly Route[]): void => {
  /** The parameter after each path, such as `{petId}` after `/pets/`. */
  const parameters = new Map<string, string>()
  for (const { path } of routes) {
    for (const { index, 0: parameter } of path.matchAll(/\{\w+\}/g)) {
      const parent = path.slice(0, index)
      const other = parameters.get(parent)
      if (other !== undefined && other !== parameter) {
        throw createContractError(
          `${path}: API Gateway allows one parameter after ${parent}, and ${other} is there already.`,
        )
      }
      parameters.set(parent, parameter)
    }
  }
}
