import { isDeepStrictEqual } from 'node:util'
import type { SeenResponse } from '../../../fixtures/check-response.ts'
import type { HostileRequest } from './garbage.ts'
import { readText } from './json-text.ts'
import { isObject, type Value } from './schema.ts'

type Pet = { readonly [name: string]: Value }
type Send = (target: string) => Promise<SeenResponse>

/** The pets that there must be: those that were there at first, and those whose creation gets 201. */
export interface PetsKept {
  /** @throws Error when a created pet is not as it was sent, or is not read back as the response said. */
  add(request: HostileRequest, response: SeenResponse): Promise<void>
  /** @throws Error when the list has one pet less, one more, or another than were added. */
  compareWithList(): Promise<void>
}

/** @param get reads a target with a valid key */
export const watchPets = async (get: Send): Promise<PetsKept> => {
  const kept = await readList(get)
  return {
    add: async ({ headers, body = '' }, response) => {
      const created = petOf(response.text)
      const id = String(created['id'])
      const sent = readText(Buffer.from(body).toString())
      const expected = { status: 'available', ...Object(sent), id: created['id'] }
      if (!isDeepStrictEqual(created, expected)) throw new Error(`${body} was created as ${response.text}`)
      const other = kept.get(id)
      // The responses to one creation and to its repetition may come in either order.
      const mayRepeat = headers.some(([name]) => name.toLowerCase() === 'idempotency-key')
      if (other !== undefined && !(mayRepeat && isDeepStrictEqual(created, other)))
        throw new Error(`${response.text} has the id of another pet`)
      kept.set(id, created)
      const read = await get(`/pets/${id}`)
      if (read.status !== 200 || !isDeepStrictEqual(petOf(read.text), created))
        throw new Error(`${response.text} was read back as ${read.text}`)
    },
    compareWithList: async () => {
      const listed = await readList(get)
      const lost = [...kept].filter(([id, pet]) => !isDeepStrictEqual(listed.get(id), pet))
      const unasked = [...listed].filter(([id]) => !kept.has(id))
      if (lost.length > 0)
        throw new Error(`${lost.length} pets are not in the list as they were created, as ${lost[0]}`)
      if (unasked.length > 0)
        throw new Error(`${unasked.length} pets are in the list that no response named, as ${unasked[0]}`)
    },
  }
}

const petOf = (text: string): Pet => {
  const pet = readText(text)
  if (pet === undefined || !isObject(pet)) throw new Error(`${text} is no pet`)
  return pet
}

/** All pages, each pet once, by their ids. */
const readList = async (get: Send): Promise<Map<string, Pet>> => {
  const pets = new Map<string, Pet>()
  let target: string | undefined = '/pets?limit=100'
  while (target !== undefined) {
    const { status, headers, text }: SeenResponse = await get(target)
    const page = readText(text)
    if (status !== 200 || !Array.isArray(page)) throw new Error(`A page of the list got ${status}: ${text}`)
    for (const pet of page.filter(isObject)) {
      if (pets.has(String(pet['id']))) throw new Error(`The list has the pet ${pet['id']} twice`)
      pets.set(String(pet['id']), pet)
    }
    target = /\/v1(\/[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  }
  return pets
}
