/** How long the function of an operation may run. What must last longer than a request derives from it. */
export const operationTimeoutSeconds = 10

/** How long the authorizer may run. API Gateway calls it before the operation. */
export const authorizerTimeoutSeconds = 5

/**
 * A function gives up and responds this long before its timeout. At the timeout Lambda would end the instance, and the
 * next request would have to start another.
 */
export const timeoutMarginMilliseconds = 500
