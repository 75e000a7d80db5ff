/** The parts of a simulation that can be left out. */

/** Everybody who acts on the service. */
export const actorNames = [
  'shelters',
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
  'source',
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
  'operator-clocks',
] as const

export type FaultName = (typeof faultNames)[number]
