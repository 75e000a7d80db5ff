import { listPets as contract } from '../../shared/contract/generated/list-pets.ts'
import { nextPage } from '../../shared/http/next-page.ts'
import { operation } from '../../shared/http/operation.ts'
import { ok } from '../../shared/http/response.ts'
import { readCursor, writeCursor } from '../../shared/pets/cursor.ts'
import type { PetStore } from '../../shared/pets/pet-store.ts'

/** `GET /pets`: one page of pets, the newest first, with a link to the next page. */
export const listPets = ({ pets }: { readonly pets: PetStore }) =>
  operation(contract, async ({ query: { limit, status, cursor } }, event) => {
    const before = cursor === undefined ? undefined : readCursor(cursor)
    const page = await pets.page({ limit, status, before })
    const last = page.pets.at(-1)
    return ok(page.pets, page.hasMore && last ? nextPage(event, { limit, status, cursor: writeCursor(last.id) }) : {})
  })
