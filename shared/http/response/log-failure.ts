import { inspect } from 'node:util'

/** A request that failed. */
interface FailedRequest {
  /** Operation of the contract, such as `getPet`; otherwise `unknownRoute` or `authorizer`. */
  readonly operation: string
  /** Ids of the request, which its response and the access log have too. */
  readonly requestContext: { readonly requestId: string; readonly extendedRequestId?: string | undefined }
  /** Id of the caller's API key. The authorizer may fail before it knows the id. */
  readonly keyId?: string | undefined
  /** Hash under which the table of keys has the caller's API key. */
  readonly keyHash?: string
}

/**
 * Logs why a request failed. Lambda turns the object into one line of JSON, without the causes of errors in it
 * (`LogPatch.js` of Lambda's Node.js runtime interface client). So the error is text, which has its causes.
 *
 * @example logFailure({ operation: 'getPet', requestContext: event.requestContext, keyId }, error)
 */
export const logFailure = ({ operation, requestContext, ...caller }: FailedRequest, error: unknown): void => {
  const { requestId, extendedRequestId } = requestContext
  console.error({ operation, requestId, extendedRequestId, ...caller, error: inspect(error) })
}
