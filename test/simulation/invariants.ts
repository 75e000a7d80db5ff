/** The invariants of a simulation. They are checked at each response, or at the end. */
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
  'a source has the animals of its last file',
  'a list repeats no animal',
  'a list has each animal that did not just change',
  'the audit has each change once, with what it replaced',
  'the audit has the outcome of each change',
  'a command succeeds once the faults have ended',
  'each kind of command succeeds at times',
  'a follower gets each animal',
  'a follower gets each animal once',
  'a follower goes on',
  'a few faults make no client fail',
  'a client succeeds once the faults have ended',
  'after two quiet runs API Gateway has exactly the keys asked for',
  'every actor ends',
] as const

export type Invariant = (typeof invariants)[number]
