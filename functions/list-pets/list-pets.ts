import { listPets as contract } from '../../shared/contract/generated/list-pets.ts'
import { describeMalformedItem } from '../../shared/dynamodb/item-reader.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { logFailure } from '../../shared/http/response/log-failure.ts'
import { createNextPageHeaders } from '../../shared/http/response/next-page.ts'
import { ok } from '../../shared/http/response/response.ts'
import { decodeCursor, encodeCursor } from '../../shared/pets/cursor.ts'
import type { PetStore } from '../../shared/pets/pet-store.ts'

/** `GET /pets`: lists one page of pets, the newest first, with a link to the next page. */
export const listPets = ({ pets }: { readonly pets: PetStore }) =>
  createOperationHandler(contract, async ({ query: { limit, status, cursor } }, event) => {
    const before = cursor === undefined ? undefined : decodeCursor(cursor)
    const page = await pets.listPage({ limit: Number(limit), status, before })
    for (const item of page.malformedItems) {
      const { requestContext } = event
      const request = { operation: contract.operationId, requestContext, keyId: requestContext.authorizer?.keyId }
      logFailure(request, new Error(`${describeMalformedItem(item)} The list leaves it out.`))
    }

    const lastPet = page.pets.at(-1)
    if (!page.hasMore || lastPet === undefined) return ok(page.pets)

    const nextCursor = encodeCursor(lastPet.id)
    return ok(page.pets, createNextPageHeaders(event, { limit, status, cursor: nextCursor }))
  })
