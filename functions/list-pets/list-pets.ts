import { listPets as contract } from '../../shared/contract/generated/list-pets.ts'
import type { MalformedItem } from '../../shared/dynamodb/item-reader.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { logFailure } from '../../shared/http/response/log-failure.ts'
import { createNextPageHeaders } from '../../shared/http/response/next-page.ts'
import { ok } from '../../shared/http/response/response.ts'
import { decodeCursor, encodeCursor } from '../../shared/pets/cursor.ts'
import type { PetTable } from '../../shared/pets/pet-table.ts'

/** `GET /pets`: lists one page of pets, the newest first, with a link to the next page. */
export const listPets = ({ pets }: { readonly pets: PetTable }) =>
  createOperationHandler(contract, async ({ query: { limit, status, cursor } }, event, signal) => {
    const before = cursor === undefined ? undefined : decodeCursor(cursor)
    const page = await pets.listPage({ limit: Number(limit), status, before }, signal)
    if (page.malformedItems.length > 0) {
      const { requestContext } = event
      const request = { operation: contract.operationId, requestContext, keyId: requestContext.authorizer.keyId }
      logFailure(request, new Error(describeMalformedItems(page.malformedItems)))
    }

    if (page.nextBefore === undefined) return ok(page.pets)
    const nextCursor = encodeCursor(page.nextBefore)
    return ok(page.pets, createNextPageHeaders(event, { limit, status, cursor: nextCursor }))
  })

/** Maximum number of items that a log line names. */
const maximumNamedItems = 5

/** Describes the items that a page leaves out, in a sentence. */
const describeMalformedItems = (items: readonly MalformedItem[]): string => {
  const named = items.slice(0, maximumNamedItems).map(({ name, attribute }) => `${name} has no valid ${attribute}`)
  return `The list leaves out items that cannot be read: ${items.length}. The first: ${named.join(', ')}.`
}
