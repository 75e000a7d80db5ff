/** The parts of a simulation that can be left out, for example to find the fewest that break an invariant. */

/** Everybody who acts on the service. */
export const actorNames = [
  'shelters',
  'batch-shelters',
  'sites',
  'listers',
  'follower',
  'careful',
  'stubborn',
  'flood',
  'thieves',
  'lowered-plan',
  'moved-customers',
  'key-operators',
  'pet-operators',
  'release',
] as const

export type ActorName = (typeof actorNames)[number]

/** Everything that goes wrong. */
export const faultNames = [
  'throttled-calls',
  'lost-requests',
  'lost-responses',
  'lost-responses-to-callers',
  'freezes',
  'kills',
  'index-lag',
  'slow-edge',
  'method-throttle',
  'operator-clocks',
] as const

export type FaultName = (typeof faultNames)[number]
