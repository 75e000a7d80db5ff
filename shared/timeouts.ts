/** The timeout of an operation's function. Every duration that must be longer than a request is derived from it. */
export const operationTimeoutSeconds = 10

/** The timeout of the authorizer, which API Gateway calls before the operation. */
export const authorizerTimeoutSeconds = 5

/**
 * A function stops waiting and responds this long before its timeout. At the timeout Lambda would end the instance, and
 * the next request would have to start another.
 */
export const timeoutMarginMilliseconds = 500
