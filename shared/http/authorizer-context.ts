import { type IdempotencyScope, type KeyId, type Scope, scopes } from '../api-keys/api-key-record.ts'

/** Value of `errorCode` and `errorMessage` in the context of an admitted request. */
export const noError = 'none'

/** Checks whether a function can read a value of the context. */
type Check<Value extends string = string> = (value: unknown) => value is Value

/** Accepts printable ASCII, which is safe in headers and logs. The empty text is not accepted. */
const isPrintableAscii = <Text extends string>(value: unknown): value is Text =>
  typeof value === 'string' && /^[ -~]+$/.test(value)

const isCount: Check = (value): value is string => typeof value === 'string' && /^\d+$/.test(value)

const isOneOf =
  <Word extends string>(...words: readonly Word[]): Check<Word> =>
  (value): value is Word =>
    words.some((word) => word === value)

/** Accepts everything, for a value that no function reads. Another version of the authorizer may pass any value. */
const isAnything: Check = (_value): _value is string => true

/** One value of the context. */
interface ContextValue {
  readonly isValid: Check
  /** Response header that shows the value. Every response of a function has it if the context is valid. */
  readonly header?: string
}

/**
 * Values that the authorizer passes to the functions, as `event.requestContext.authorizer`, and to the access log. The
 * types of the values, the check of a context and the limit headers of responses derive from this table.
 *
 * API Gateway passes every value as a string. No value is empty, because AWS does not document that API Gateway passes
 * empty ones. No gateway response contains a value, because AWS does not document a way to read it there.
 */
const contextValues = {
  keyId: { isValid: isPrintableAscii<KeyId> },
  idempotencyScope: { isValid: isPrintableAscii<IdempotencyScope> },
  /** For the access log only. */
  plan: { isValid: isAnything },
  scope: { isValid: isOneOf<Scope>(...scopes) },
  rateLimitLimit: { isValid: isCount, header: 'X-RateLimit-Limit' },
  rateLimitRemaining: { isValid: isCount, header: 'X-RateLimit-Remaining' },
  rateLimitReset: { isValid: isCount, header: 'X-RateLimit-Reset' },
  rateLimitPolicy: { isValid: isPrintableAscii, header: 'RateLimit-Policy' },
  rateLimitWindows: { isValid: isPrintableAscii, header: 'RateLimit' },
  /**
   * Whole seconds until a refused caller may send the next request. Functions read the value only if there is an error.
   */
  retryAfter: { isValid: isCount },
  /** Code of the error with which the function refuses the request. */
  errorCode: { isValid: isOneOf(noError, 'rate_limit_exceeded', 'api_key_banned', 'service_unavailable') },
  errorMessage: { isValid: isPrintableAscii },
} as const satisfies Readonly<Record<string, ContextValue>>

type ContextValueName = keyof typeof contextValues

type CheckedType<ValueCheck> = ValueCheck extends Check<infer Value> ? Value : never

/** The authorizer's decision about a request, for the function of the operation. */
export type AuthorizerContext = {
  readonly [Name in ContextValueName]: CheckedType<(typeof contextValues)[Name]['isValid']>
}

// The cast only narrows the type: Object.keys has the type string[]. The order of the names is that of the table, so it
// is also the order of the limit headers.
const contextValueNames = Object.keys(contextValues) as readonly ContextValueName[]

// Widens the type of a value of the table above, so that `header` can be read from each.
const readContextValue = (name: ContextValueName): ContextValue => contextValues[name]

/** Limit headers of a response, each with the name of the value that it shows. */
export const rateLimitHeaders = contextValueNames.flatMap((name) => {
  const { header } = readContextValue(name)
  return header === undefined ? [] : [{ header, valueName: name }]
})

/** Finds the name of the first missing or malformed value. A valid context has none: `undefined`. */
export const findInvalidValue = (context: unknown): ContextValueName | undefined => {
  // Object() turns undefined, null and text into an object without these values.
  const values: Readonly<Record<string, unknown>> = Object(context)
  return contextValueNames.find((name) => !contextValues[name].isValid(values[name]))
}
