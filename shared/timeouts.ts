/** The timeout of an operation's function. Every duration that must be longer than a request is derived from it. */
export const operationTimeoutSeconds = 10

/** The timeout of the authorizer, which API Gateway calls before the operation. */
export const authorizerTimeoutSeconds = 5

/** The timeout of the function `gateway-keys`. It is shorter than the 15 minutes after which the next run starts. */
export const gatewayKeysTimeoutSeconds = 600

/**
 * A function of a request stops waiting and responds this long before its timeout. At the timeout Lambda would end the
 * instance, and the next request would have to start another.
 */
export const timeoutMarginMilliseconds = 1_000
