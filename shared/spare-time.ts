/**
 * So long before its timeout a function gives up and answers. Lambda would end the instance at the timeout, and the
 * next request would have to start another.
 */
export const timeoutMarginMilliseconds = 500
