import type { KnownFault } from './known-fault.ts'

const limits = 'test/unit/shared/rate-limit/rate-limiter.test.ts'
const interleavings = 'test/unit/shared/rate-limit/request-counter.test.ts'

/** Faults of the limits of API keys. */
export const rateLimit: readonly KnownFault[] = [
  {
    title: 'a minute has room for one request more than the plan has',
    file: 'shared/rate-limit/request-counter.ts',
    find: "'minuteCount < minuteLimit',",
    replaceBy: "'minuteCount <= minuteLimit',",
    test: limits,
  },
  {
    title: 'a day has room for one request more than the plan has',
    file: 'shared/rate-limit/request-counter.ts',
    find: "'dayCount < dayLimit'",
    replaceBy: "'dayCount <= dayLimit'",
    test: limits,
  },
  {
    title: 'a key that was replaced works after its overlap',
    file: 'shared/rate-limit/request-counter.ts',
    find: "'(attribute_not_exists(overlapEndsAt) OR overlapEndsAt > :now)',",
    replaceBy: '',
    test: limits,
  },
  {
    title: 'a banned key is admitted in its next minute',
    file: 'shared/rate-limit/request-counter.ts',
    find: "'bannedUntil <= :now',",
    replaceBy: '',
    test: interleavings,
  },
  {
    title: 'a repeated write counts a request of a lost response twice',
    file: 'shared/rate-limit/request-counter.ts',
    find: "outcome.met || item?.['lastWrite'] === writeId",
    replaceBy: 'outcome.met',
    test: interleavings,
  },
  {
    title: 'an instance whose clock is behind opens the previous minute again',
    file: 'shared/rate-limit/request-counter.ts',
    find: "['minuteWindow >= :minute', 'dayWindow",
    replaceBy: "['minuteWindow = :minute', 'dayWindow",
    test: interleavings,
  },
  {
    title: 'a refusal bans a key whose limits an operator has raised since',
    file: 'shared/rate-limit/request-counter.ts',
    find: "['refusalCount = :refusals', overLimitCondition]",
    replaceBy: "['(refusalCount = :refusals OR :minute < :day)']",
    test: limits,
  },
  {
    title: 'a key that was issued a moment ago is unknown while its item is throttled',
    file: 'shared/rate-limit/request-counter.ts',
    find: 'Key: { keyHash }, ConsistentRead: true',
    replaceBy: 'Key: { keyHash }',
    test: limits,
  },
  {
    title: 'every ban of a day is as short as the first',
    file: 'shared/rate-limit/rate-limiter.ts',
    find: 'policy.firstBanSeconds * 2 ** earlierBans',
    replaceBy: 'policy.firstBanSeconds',
    test: limits,
  },
  {
    title: 'a throttled table admits requests of keys that are used up',
    file: 'shared/rate-limit/rate-limiter.ts',
    find: 'if (!isThrottled(error)) throw error',
    replaceBy: 'throw error',
    test: limits,
  },
  {
    title: 'a key within its limits gets 429 while its item is throttled',
    file: 'shared/rate-limit/rate-limiter.ts',
    find: "isRefused ? verdict : 'uncounted'",
    replaceBy: "isRefused ? verdict : 'exhausted'",
    test: limits,
  },
  {
    title: 'one API key that is used too often rolls a release back',
    file: 'infra/constructs/monitoring/service-alarms.ts',
    find: ' && ($.errorCode != "service_unavailable")',
    replaceBy: '',
    test: 'test/unit/infra/constructs/monitoring/logs.test.ts',
  },
  {
    title: 'callers who wait as long as Retry-After says are refused by an instance whose clock is behind',
    file: 'functions/authorizer/create-context.ts',
    find: 'const clockMarginSeconds = 1',
    replaceBy: 'const clockMarginSeconds = 0',
    test: 'test/unit/functions/authorizer/create-context.test.ts',
  },
  {
    title: 'a window that has expired shows the count of the last one',
    file: 'shared/rate-limit/windows.ts',
    find: '? record[`${window}Count`] : 0',
    replaceBy: '? record[`${window}Count`] : record[`${window}Count`]',
    test: limits,
  },
  {
    title: 'X-RateLimit headers show the window with more requests remaining',
    file: 'shared/rate-limit/windows.ts',
    find: 'return minute.remaining < day.remaining ? minute : day',
    replaceBy: 'return minute.remaining < day.remaining ? day : minute',
    test: limits,
  },
  {
    title: 'a full memory of an instance grows without end',
    file: 'shared/rate-limit/key-memory.ts',
    find: 'if (this.#remembered.size > maximumKeys) this.#forgetOldest()',
    replaceBy: '',
    test: 'test/unit/shared/rate-limit/key-memory.test.ts',
  },
]
