import type { KnownFault } from './known-fault.ts'

const requests = 'test/unit/functions/requests.test.ts'
const requestsOverHttp = 'test/e2e/requests.test.ts'
const response = 'test/unit/shared/http/response/response.test.ts'
const context = 'test/unit/shared/http/authorizer-context.test.ts'

/** Faults of how a request is read and a response is written. */
export const http: readonly KnownFault[] = [
  {
    title: 'a request over a limit runs the operation',
    file: 'shared/http/operation.ts',
    find: '[refuseWithoutContext, refuseUnlessAdmitted, ...operationRefusals]',
    replaceBy: '[refuseWithoutContext, ...operationRefusals]',
    test: 'test/unit/functions/calls.test.ts',
  },
  {
    title: 'a key that may only read adds pets',
    file: 'shared/http/request/refusals.ts',
    find: "method !== 'GET' && authorizer.scope !== 'read-write'",
    replaceBy: "method === 'GET' && authorizer.scope === undefined",
    test: requests,
  },
  {
    title: 'a 429 has no Retry-After',
    file: 'shared/http/request/refusals.ts',
    find: "message: errorMessage, headers: { 'Retry-After': retryAfter } }",
    replaceBy: 'message: errorMessage }',
    test: requestsOverHttp,
  },
  {
    title: 'a caller is shown an error of the database',
    file: 'shared/http/response/response.ts',
    find: "return new ServiceError('internal_error', { cause:",
    replaceBy: "return new ServiceError('internal_error', { message: String(error), cause:",
    test: response,
  },
  {
    title: 'an outage is a 500 that clients do not send again',
    file: 'shared/http/response/response.ts',
    find: 'if (isUnavailable(error)) return createUnavailableError(error)',
    replaceBy: '',
    test: response,
  },
  {
    title: 'an operator finds no cause of a 500 in the log',
    file: 'shared/http/response/response.ts',
    find: 'if (error.status >= 500 && error.cause !== undefined) {',
    replaceBy: 'if (error.status > 500 && error.cause !== undefined) {',
    test: response,
  },
  {
    title: 'a body above 16 KB is parsed',
    file: 'shared/http/request/body.ts',
    find: "if (measureBody(event) > maximumBodyBytes) throw new ServiceError('request_too_large')",
    replaceBy: '',
    test: requests,
  },
  {
    title: 'a body of another charset is stored as something else',
    file: 'shared/http/request/body.ts',
    find: 'hasJsonType && others.length === 0 && !hasOtherCharset',
    replaceBy: 'hasJsonType && others.length === 0',
    test: requests,
  },
  {
    title: 'a repeated query parameter is read as its first value',
    file: 'shared/http/request/read-input.ts',
    find: 'const isRepeated = value === undefined || others.length > 0',
    replaceBy: 'const isRepeated = value === undefined',
    test: requestsOverHttp,
  },
  {
    title: 'an error message has half a character, which strict parsers refuse',
    file: 'shared/http/request/read-input.ts',
    find: 'shortName.toWellFormed()',
    replaceBy: 'shortName',
    test: requests,
  },
  {
    title: 'two Authorization headers are read as the first one',
    file: 'shared/http/request/request-headers.ts',
    find: 'if (value === undefined || others.length > 0) return undefined',
    replaceBy: 'if (value === undefined) return undefined',
    test: 'test/unit/functions/authorizer/authorizer.test.ts',
  },
  {
    title: 'the link to the next page leads to a host that an attacker chose',
    file: 'shared/http/response/next-page.ts',
    find: '/^[\\w.:[\\]-]+$/.test(host)',
    replaceBy: 'host.length > 0',
    test: 'test/unit/shared/http/response/next-page.test.ts',
  },
  {
    title: 'the next page loses the status of the list',
    file: 'functions/list-pets/list-pets.ts',
    find: '{ limit, status, cursor: nextCursor }',
    replaceBy: '{ limit, cursor: nextCursor }',
    test: requests,
  },
  {
    title: 'a deprecated operation works after its end',
    file: 'shared/http/deprecation.ts',
    find: 'if (notice === null || clock() < notice.sunset) return',
    replaceBy: 'if (notice === null || clock() > 0) return',
    test: 'test/unit/shared/http/deprecation.test.ts',
  },
  {
    title: 'an error of a deprecated operation does not announce its end',
    file: 'shared/http/deprecation.ts',
    find: 'Deprecation: deprecation,',
    replaceBy: '',
    test: requests,
  },
  {
    title: 'a web page cannot read the limits of its key',
    file: 'shared/http/response/response-headers.ts',
    find: "'Retry-After',\n  ...rateLimitHeaderNames,",
    replaceBy: "'Retry-After',",
    test: requests,
  },
  {
    title: 'a request without a valid context of the authorizer runs the operation',
    file: 'shared/http/authorizer-context.ts',
    find: 'return contextValueNames.find((name) => !contextValues[name].isValid(values[name]))',
    replaceBy: 'return contextValueNames.find((name) => values[name] === null)',
    test: context,
  },
  {
    title: 'RateLimit shows the time to the end of a window without the margin of clocks',
    file: 'functions/authorizer/create-context.ts',
    find: 't=${countWaitSeconds(resetAt, nowSeconds)}',
    replaceBy: 't=${Math.ceil(resetAt - nowSeconds)}',
    test: 'test/unit/functions/authorizer/create-context.test.ts',
  },
]
