/** The invariants of a simulation. They are checked at each response, or at the end. */
export const invariants = [
  'no window is over its limit',
  'a caller that does as its last headers say is admitted',
  'no key works after its end',
  'no request is billed to another key',
  'API Gateway refuses no request that the table has admitted',
  'after two quiet runs API Gateway has exactly the keys asked for',
  'every response is one of the contract',
  'a creation adds one animal',
  'an acknowledged animal is there',
  'a list has each animal that did not just change, once',
  'a follower gets each animal once',
  'a source has the animals of its last file',
  'the audit has each change, with what it replaced and its outcome',
  'a client fails only after several faults',
  'a command fails only after a fault',
  'every actor ends',
] as const

export type Invariant = (typeof invariants)[number]
