import type { KnownFault } from './known-fault.ts'

const keyTable = 'test/unit/shared/api-keys/key-table.test.ts'

/** Faults of the API keys and their table. */
export const apiKeys: readonly KnownFault[] = [
  {
    title: 'a mistyped key costs a call to the table',
    file: 'shared/api-keys/api-key.ts',
    find: 'computeChecksum(body) === text.slice(-checksumLength)',
    replaceBy: 'text.length > checksumLength',
    test: 'test/unit/shared/api-keys/api-key.test.ts',
  },
  {
    title: 'a short key that can be guessed is accepted',
    file: 'shared/api-keys/api-key.ts',
    find: 'export const minimumRandomLength = 32',
    replaceBy: 'export const minimumRandomLength = 8',
    test: 'test/unit/shared/api-keys/api-key.test.ts',
  },
  {
    title: 'a key of staging works in production',
    file: 'shared/api-keys/api-key.ts',
    find: 'if (!text.startsWith(prefix) || text.length > maximumKeyLength) return false',
    replaceBy: 'if (text.length > maximumKeyLength) return false',
    test: 'test/unit/shared/api-keys/api-key.test.ts',
  },
  {
    title: 'a key is usable at the moment of its end',
    file: 'shared/api-keys/api-key-record.ts',
    find: 'findKeyEnd(record) > now',
    replaceBy: 'findKeyEnd(record) >= now',
    test: 'test/unit/shared/rate-limit/rate-limiter.test.ts',
  },
  {
    title: 'a rotated key ends at its contract, not at its overlap',
    file: 'shared/api-keys/api-key-record.ts',
    find: 'Math.min(expiresAt, overlapEndsAt)',
    replaceBy: 'Math.max(expiresAt, overlapEndsAt)',
    test: 'test/unit/shared/rate-limit/rate-limiter.test.ts',
  },
  {
    title: 'a run of gateway-keys undoes what an operator has set meanwhile',
    file: 'shared/api-keys/key-table.ts',
    find: 'return `#${name} = :expected_${name}`',
    replaceBy: 'return `(#${name} = :expected_${name} OR attribute_exists(keyHash))`',
    test: keyTable,
  },
  {
    title: 'a change of a key that was deleted adds half a key',
    file: 'shared/api-keys/key-table.ts',
    find: 'ConditionExpression: `attribute_exists(keyHash) AND ${condition}`',
    replaceBy: 'ConditionExpression: condition',
    test: keyTable,
  },
  {
    title: 'a rotation fails if another transaction writes the key',
    file: 'infra/commands/environment/retry-policy.ts',
    find: ' || isInConflict(error)',
    replaceBy: '',
    test: 'test/unit/infra/commands/environment/retry-policy.test.ts',
  },
  {
    title: 'a key above its lowered plan is refused by API Gateway',
    file: 'shared/api-keys/plans.ts',
    find: 'return minuteLimit <= perMinute && dayLimit <= perDay',
    replaceBy: 'return true',
    test: 'test/unit/functions/authorizer/metering.test.ts',
  },
  {
    title: 'a key of an unknown plan is metered on a usage plan that may be gone',
    file: 'shared/api-keys/plans.ts',
    find: 'if (plan === undefined) return false',
    replaceBy: 'if (plan === undefined) return true',
    test: 'test/unit/functions/authorizer/authorizer.test.ts',
  },
]
