import { type Pet, type PetStatus, petStatuses } from '../../../shared/pets/pet.ts'
import type { Page, PetStore } from '../../../shared/pets/pet-store.ts'

/** The pets of a page at their longest are less than the 1 MB that DynamoDB gives at once. */
const limit = 500

/** All pets, or those of one status, the newest first. A few pages are in memory at a time. */
export async function* allPets(store: PetStore, status: PetStatus | undefined): AsyncGenerator<Pet> {
  const partitions = (status === undefined ? petStatuses : [status]).map((one) => petsOf(store, one))
  const heads = await Promise.all(partitions.map(async (pets) => ({ pets, head: await pets.next() })))
  let last: bigint | undefined
  for (;;) {
    const newest = heads.reduce((best, one) => (idOf(one) > idOf(best) ? one : best))
    if (newest.head.done === true) return
    const pet = newest.head.value
    newest.head = await newest.pets.next()
    // A pet whose status changes meanwhile may be in two partitions.
    if (pet.id !== last) yield pet
    last = pet.id
  }
}

interface Head {
  readonly head: IteratorResult<Pet, void>
}

const idOf = ({ head }: Head): bigint => (head.done === true ? 0n : head.value.id)

/** Reads the next page while this one is used. */
async function* petsOf(store: PetStore, status: PetStatus): AsyncGenerator<Pet, void> {
  const read = (before: bigint | undefined): Promise<Page> => store.page({ limit, status, before })
  let next: Promise<Page> | undefined = read(undefined)
  while (next !== undefined) {
    const { pets, hasMore }: Page = await next
    next = hasMore ? read(pets.at(-1)?.id) : undefined
    // Its error is thrown when the page is awaited.
    next?.catch(() => undefined)
    yield* pets
  }
}
