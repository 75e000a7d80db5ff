import type { components } from '../contract/generated/types.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']

/** All statuses, each a partition of the status index. */
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[]
