import { describe, expect, it } from 'vitest'
import { samplePets } from '../../../../../infra/local/samples/sample-pets.ts'
import { maximumPets, seededPet, seededPetId } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { createPet } from '../../../../../shared/contract/generated/create-pet.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { jsonBody } from '../../../../../shared/http/json-body.ts'
import { readInput } from '../../../../../shared/http/read-input.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { gatewayEvent } from '../../../../events/events.ts'

const pets = Array.from({ length: 20_000 }, (_, index) => seededPet(index))

describe('a seeded pet', () => {
  it('is what the contract lets a caller create', () => {
    for (const { id: _id, ...body } of pets.slice(0, 2_000)) {
      const event = gatewayEvent('create-pet', { body: stringifyExactJson(body), isBase64Encoded: false })
      // Of a middleware only what it does to the event is needed here.
      jsonBody().before?.({ event } as Parameters<NonNullable<ReturnType<typeof jsonBody>['before']>>[0])
      expect(readInput(createPet, event).body).toEqual(body)
    }
  })

  it('is the same at every call', () => {
    expect(Array.from({ length: 100 }, (_, index) => seededPet(index))).toEqual(pets.slice(0, 100))
  })

  it('has one of many names', () => {
    expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(500)
  })

  it.each([
    ...[['status', 'available', 60] as const, ['status', 'pending', 12] as const, ['status', 'sold', 28] as const],
    ...[44, 36, 9, 6, 5].map((share, index) => ['categoryId', BigInt(index + 1), share] as const),
  ])('has the %s %s in about %i cases of a hundred', (attribute, value, share) => {
    const ofHundred = (pets.filter((pet) => pet[attribute] === value).length / pets.length) * 100
    expect(Math.abs(Math.round(ofHundred) - share)).toBeLessThanOrEqual(1)
  })
})

describe('the ids of seeded pets', () => {
  const last = seededPetId(maximumPets - 1)

  it('rise with the index, and so no two are alike', () => {
    const ids = pets.map(({ id }) => id)
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true)
    expect(last).toBeGreaterThan(seededPetId(maximumPets - 2))
  })

  it('are above zero, as all of the service', () => {
    expect(seededPetId(0)).toBeGreaterThan(0n)
  })

  it('are below those of the local samples, and of all pets created since', () => {
    expect(samplePets.every(({ id }) => id > last)).toBe(true)
    expect(last).toBeLessThan(newPetId(Date.UTC(2025, 0, 1, 3), () => 0))
  })
})
