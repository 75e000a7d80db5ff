import type { KnownFault } from './known-fault.ts'

const authorizerTest = 'test/unit/functions/authorizer/authorizer.test.ts'
const meteringTest = 'test/unit/functions/authorizer/metering.test.ts'

/** Faults of the authorizer. */
export const authorizer: readonly KnownFault[] = [
  {
    title: 'a request without a valid key is admitted',
    file: 'functions/authorizer/authorizer.ts',
    find: "createPolicy('Deny', event)",
    replaceBy: "createPolicy('Allow', event)",
    test: authorizerTest,
  },
  {
    title: 'a customer with an unknown key is told that the service failed',
    file: 'functions/authorizer/authorizer.ts',
    find: "if (decision.kind === 'invalid') return deny(event)",
    replaceBy: "if (decision.kind === 'invalid') throw new Error('Invalid')",
    test: authorizerTest,
  },
  {
    title: 'a request of a long path has a policy that AWS refuses',
    file: 'functions/authorizer/authorizer.ts',
    find: "`${methodArn.split('/', 2).join('/')}/*`",
    replaceBy: 'methodArn',
    test: authorizerTest,
  },
  {
    title: 'a key whose gateway key is not known at the edge yet is refused by API Gateway',
    file: 'functions/authorizer/metering.ts',
    find: 'meteredFrom <= nowSeconds && ',
    replaceBy: '',
    test: meteringTest,
  },
  {
    title: 'a refused request uses up the usage plan of its key',
    file: 'functions/authorizer/metering.ts',
    find: "kind === 'admitted' && ",
    replaceBy: '',
    test: meteringTest,
  },
  {
    title: 'a request at midnight counts in the usage plan of another day',
    file: 'functions/authorizer/metering.ts',
    find: ' && !isAroundMidnight(nowSeconds)',
    replaceBy: '',
    test: meteringTest,
  },
  {
    title: 'a table that hangs leaves callers without a response',
    file: 'functions/authorizer/authorizer.ts',
    find: 'invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds',
    replaceBy: 'invocation.getRemainingTimeInMillis() + timeoutMarginMilliseconds',
    test: authorizerTest,
  },
  {
    title: 'a flood of invalid keys writes a log line for each of them',
    file: 'functions/authorizer/authorizer.ts',
    find: 'if (apiKey === undefined || !isWellFormed(apiKey, prefix)) return deny(event)',
    replaceBy: "if (apiKey === undefined || !isWellFormed(apiKey, prefix)) throw new Error('Unauthorized')",
    test: authorizerTest,
  },
]
