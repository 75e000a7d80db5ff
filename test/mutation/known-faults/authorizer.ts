import type { KnownFault } from './known-fault.ts'

const authorizerTest = 'test/unit/functions/authorizer/authorizer.test.ts'

/** Faults of the authorizer. */
export const authorizer: readonly KnownFault[] = [
  {
    title: 'a request is admitted while the table of keys is unavailable',
    file: 'functions/authorizer/authorizer.ts',
    find: "createPolicy('Deny', event)",
    replaceBy: "createPolicy('Allow', event)",
    test: authorizerTest,
  },
  {
    title: 'a customer with an unknown key is told that the service failed',
    file: 'functions/authorizer/authorizer.ts',
    find: "=== 'invalid') throw new Error('Unauthorized')",
    replaceBy: "=== 'invalid') throw new Error('Invalid')",
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
    file: 'functions/authorizer/authorizer.ts',
    find: 'meteredFrom * 1_000 <= now && ',
    replaceBy: '',
    test: authorizerTest,
  },
  {
    title: 'a refused request uses up the usage plan of its key',
    file: 'functions/authorizer/authorizer.ts',
    find: "kind === 'admitted' && ",
    replaceBy: '',
    test: authorizerTest,
  },
  {
    title: 'a request at midnight counts in the usage plan of another day',
    file: 'functions/authorizer/authorizer.ts',
    find: ' && !isAroundMidnight(now)',
    replaceBy: '',
    test: authorizerTest,
  },
  {
    title: 'a table that hangs leaves callers without a response',
    file: 'functions/authorizer/authorizer.ts',
    find: 'invocation.getRemainingTimeInMillis() - timeoutMarginMilliseconds',
    replaceBy: 'invocation.getRemainingTimeInMillis() + timeoutMarginMilliseconds',
    test: authorizerTest,
  },
]
