/** Everybody who can act on the service. */
export const actorNames = [
  'shelters',
  'sites',
  'thieves',
  'key-operators',
  'followers',
  'patient',
  'flood',
  'source',
] as const

export type ActorName = (typeof actorNames)[number]
