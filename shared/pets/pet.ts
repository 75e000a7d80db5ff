import type { components } from '../contract/generated/types.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']

/** A new pet under its id. The fields have the order of every response, whatever order the request had. */
export const withId = (id: Pet['id'], { name, categoryId, status }: NewPet): Pet => ({ id, name, categoryId, status })

/** All statuses, each a partition of the status index. */
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[]
