/** The invariants of a simulation, in the order of the README. */
export const invariants = [
  'no window is over its limit',
  'no request is refused that the last headers allowed',
  'who waits as long as Retry-After says is admitted',
  'no key works after its end',
  'no request is billed to another key',
  'API Gateway refuses no request that the table has admitted',
  'every response is one of the contract',
  'a creation has one id',
  'a creation adds one animal',
  'an acknowledged animal is there',
  'a removed animal is gone',
  'a list repeats no animal',
  'a list has each animal that did not just change',
  'an import changes only what was edited',
  'the audit has each change once, with what it replaced',
  'no change that happened is failed in the audit',
  'no change is done in the audit that did not happen',
  'a follower gets each animal',
  'a follower gets each animal once',
  'a follower goes on',
  'a few faults make no client fail',
  'a client succeeds once the faults have ended',
  'after two quiet runs API Gateway has exactly the keys asked for',
] as const

export type Invariant = (typeof invariants)[number]
